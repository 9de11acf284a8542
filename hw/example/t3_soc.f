// Sources of the example (hw/example/run), behind those of rtl/t3_track_trigger.f; paths are
// relative to the repository.
hw/example/t3_soc_pkg.sv
hw/example/t3_soc_channel.sv
hw/example/t3_soc_memory.sv
hw/example/t3_soc_dma.sv
hw/example/t3_soc_boot.sv
hw/example/t3_soc.sv
