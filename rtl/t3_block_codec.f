// Sources of the block codec, in compile order; paths are relative to the repository.
+incdir+rtl
rtl/codec/t3_codec_pkg.sv
rtl/codec/t3_block_largest.sv
rtl/codec/t3_block_scale.sv
rtl/codec/t3_block_quantize.sv
rtl/codec/t3_block_unit.sv
rtl/codec/t3_block_dequantize.sv
rtl/codec/t3_block_encode.sv
rtl/codec/t3_block_decode.sv
rtl/codec/t3_block_codec.sv
