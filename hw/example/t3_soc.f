// Sources of the example (hw/example/run), behind those of the unit; paths are relative to this folder.
t3_soc_pkg.sv
t3_soc_channel.sv
t3_soc_memory.sv
t3_soc_table.sv
t3_soc_dma.sv
t3_soc_boot.sv
t3_soc.sv
