// SPDX-License-Identifier: Apache-2.0
/// One GPU of the testbench: t3_soc, the kernel that stores its contribution to the whole output,
/// chunk after chunk, and the consumer of rows, which compares what is released with what is
/// expected.
///
/// Contributions are a function of GPU and element. The sum of this function over the GPUs is what
/// is expected; a row is compared in the first cycle in which it is shown, and the whole output once
/// more with `compare_i`.
module t3_soc_gpu #(
  parameter int Gpu = 0,
  parameter int Gpus = 2,
  parameter int Faulty = 20,
  localparam int WriteWidth = t3_soc_pkg::WriteWidth
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic [31:0] seed_i,
  /// All GPUs are programmed.
  input  logic start_i,
  /// All GPUs are done: compare everything.
  input  logic compare_i,
  /// The kernel names the wrong block for its word numbered `Faulty`.
  input  logic stray_i,

  output logic                  out_valid_o,
  input  logic                  out_ready_i,
  output logic [WriteWidth-1:0] out_o,
  input  logic                  in_valid_i,
  output logic                  in_ready_o,
  input  logic [WriteWidth-1:0] in_i,
  /// A random bit in each cycle.
  output logic                  random_o,

  output logic run_o,
  output logic stored_o,
  output logic done_o,
  output logic failed_o,
  /// The register that the software found wrong, and what it read.
  output logic [15:0] failed_addr_o,
  output logic [31:0] failed_data_o,
  output logic rows_done_o,
  /// Words of the output that are wrong at the end, and that were when their row was released.
  output int wrong_o,
  output int early_o
);

  localparam int WgWidth = t3_soc_pkg::WgWidth;
  localparam int WfWidth = t3_soc_pkg::WfWidth;
  localparam int AddrWidth = t3_soc_pkg::AddrWidth;
  localparam int WordWidth = t3_soc_pkg::WordWidth;
  localparam int ElementWidth = t3_soc_pkg::ElementWidth;
  localparam int Elements = WordWidth / ElementWidth;
  localparam int ChunkWords = 1 << t3_soc_pkg::ChunkWordsLog2;
  localparam int Words = Gpus * ChunkWords;
  localparam int RowWords = t3_soc_pkg::TilesAcross << t3_soc_pkg::TileWordsLog2;
  localparam int Rows = Words / RowWords;
  localparam int Next = (Gpu + 1) % Gpus;

  // ---- what is computed -----------------------------------------------------------------------
  function automatic logic [WordWidth-1:0] contribution(input int gpu, input int word);
    contribution = '0;
    for (int e = 0; e < Elements; e++) begin
      contribution[e*ElementWidth +: ElementWidth] =
          (32'(gpu + 1) * 32'h9E37_79B1) ^ (32'(word * Elements + e) * 32'h85EB_CA77);
    end
  endfunction

  function automatic logic [WordWidth-1:0] total(input int word);
    logic [WordWidth-1:0] part;
    total = '0;
    for (int gpu = 0; gpu < Gpus; gpu++) begin
      part = contribution(gpu, word);
      for (int e = 0; e < Elements; e++) begin
        total[e*ElementWidth +: ElementWidth] =
            total[e*ElementWidth +: ElementWidth] + part[e*ElementWidth +: ElementWidth];
      end
    end
  endfunction

  logic [31:0] random_q;
  assign random_o = random_q[4];
  always_ff @(posedge clk_i or negedge rst_ni) begin : p_random
    if (!rst_ni) begin
      random_q <= (seed_i * 32'd977 + 32'(Gpu) * 32'd131) | 32'd1;
    end else begin
      random_q <= {random_q[30:0], random_q[31] ^ random_q[21] ^ random_q[1] ^ random_q[0]};
    end
  end

  // ---- the kernel: chunk Gpu - 1 first, into the next GPU's memory; its own last ----------------
  int number_q, chunk, word;
  logic store_q, store_valid, store_ready;
  logic [AddrWidth-1:0] base;
  logic [WgWidth-1:0] wg;
  logic [WfWidth-1:0] wf;

  assign store_valid = store_q && number_q < Words;
  assign stored_o = number_q == Words;
  always_ff @(posedge clk_i or negedge rst_ni) begin : p_kernel
    if (!rst_ni) begin
      number_q <= 0;
      store_q <= 1'b0;
    end else if (start_i) begin
      if (store_valid && store_ready) number_q <= number_q + 1;
      // A word that is shown stays.
      if (!store_valid || store_ready) store_q <= random_q[1:0] != 2'd0;
    end
  end

  assign chunk = (Gpu + 2 * Gpus - 1 - number_q / ChunkWords) % Gpus;
  assign word = chunk * ChunkWords + number_q % ChunkWords;
  always_comb begin : p_store
    base = t3_soc_pkg::SumBase;
    if (chunk == Gpu || (number_q < ChunkWords && chunk == Next)) base = t3_soc_pkg::OutputBase;
    if (number_q < ChunkWords) base = base | (32'd1 << t3_soc_pkg::WindowBit);
    wg = WgWidth'(word >> t3_soc_pkg::TileWordsLog2);
    wf = WfWidth'(word >> t3_soc_pkg::WaveWordsLog2);
    if (stray_i && number_q == Faulty) wg = wg + WgWidth'(1 << t3_soc_pkg::BlockLog2);
  end

  // ---- the system -----------------------------------------------------------------------------
  logic rel_valid, rel_ready, rel_spoiled, unused_busy, unused_alert;
  logic [t3_soc_pkg::RowWidth-1:0] rel_row;

  t3_soc #(
    .Gpu (Gpu),
    .Gpus(Gpus)
  ) u_soc (
    .clk_i,
    .rst_ni,
    .store_valid_i  (store_valid),
    .store_ready_o  (store_ready),
    .store_wg_i     (wg),
    .store_wf_i     (wf),
    .store_addr_i   (base + AddrWidth'(word * t3_soc_pkg::WordBytes)),
    .store_data_i   (contribution(Gpu, word)),
    .out_valid_o,
    .out_ready_i,
    .out_o,
    .in_valid_i,
    .in_ready_o,
    .in_i,
    .rel_valid_o    (rel_valid),
    .rel_ready_i    (rel_ready),
    .rel_row_o      (rel_row),
    .rel_spoiled_o  (rel_spoiled),
    .run_o,
    .done_o,
    .failed_o,
    .tracker_busy_o (unused_busy),
    .tracker_alert_o(unused_alert)
  );

  // ---- the consumer ---------------------------------------------------------------------------
  // Words from `first` on that are not in the memory as expected.
  function automatic int differ(input int first, input int count);
    logic [WordWidth-1:0] found;
    differ = 0;
    for (int w = first; w < first + count; w++) begin
      found = ((w & 1) == 0) ? u_soc.u_memory.gen_channel[0].u_channel.u_ram.mem_q[w >> 1]
                             : u_soc.u_memory.gen_channel[1].u_channel.u_ram.mem_q[w >> 1];
      if (found !== total(w)) differ = differ + 1;
    end
  endfunction

  assign failed_addr_o = u_soc.u_boot.araddr_o[15:0];
  always_ff @(posedge clk_i) begin : p_read
    if (u_soc.u_boot.rvalid_i && u_soc.u_boot.rready_o) failed_data_o <= u_soc.u_boot.rdata_i;
  end

  // No others than those of the output may be released.
  logic [t3_soc_pkg::RowSlots-1:0] released_q;
  assign rows_done_o = released_q == t3_soc_pkg::RowSlots'((1 << Rows) - 1);
  assign rel_ready = random_q[6:5] == 2'd0;
  logic shown_q;  // the row is the one of the cycle before

  always_ff @(posedge clk_i or negedge rst_ni) begin : p_consumer
    if (!rst_ni) begin
      released_q <= '0;
      shown_q <= 1'b0;
      early_o <= 0;
      wrong_o <= 0;
    end else begin
      shown_q <= rel_valid && !rel_ready;
      if (rel_valid && !shown_q) begin
        // A row that is released twice, or spoiled, counts as wrong, too.
        early_o <= early_o + differ(32'(rel_row) * RowWords, RowWords) + 32'(released_q[rel_row]) + 32'(rel_spoiled);
      end
      if (rel_valid && rel_ready) released_q[rel_row] <= 1'b1;
      if (compare_i) wrong_o <= differ(0, Words);
    end
  end

endmodule
