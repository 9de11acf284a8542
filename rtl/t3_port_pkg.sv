// SPDX-License-Identifier: Apache-2.0
/// Types of the ports of t3_tracker. The fields of a stream's word are whole bytes, as AXI-Stream has them, and have the
/// most bits that any size of the unit has; a smaller one wants 0 in the bits above its own and gives 0 there.
package t3_port_pkg;

  /// An update at a lane: `weight` bytes at `addr`, of wavefront `wf` of workgroup `wg`.
  localparam int UpdateBits = 88;
  typedef struct packed {
    logic [15:0] weight;
    logic [47:0] addr;
    logic [7:0]  wf;
    logic [15:0] wg;
  } update_t;

  /// A command or a row: the slot or row slot whose count has come to 0.
  typedef struct packed {
    logic        spoiled;
    logic [14:0] number;
  } said_t;

  /// AXI4-Lite, field by field as AXI_LITE_TYPEDEF_ALL of pulp-platform's axi makes it, so a struct of that macro
  /// may be assigned to one of these.
  typedef struct packed {
    logic [15:0] addr;
    logic [2:0]  prot;
  } axil_address_t;
  typedef struct packed {
    logic [31:0] data;
    logic [3:0]  strb;
  } axil_w_t;
  typedef struct packed {
    logic [1:0] resp;
  } axil_b_t;
  typedef struct packed {
    logic [31:0] data;
    logic [1:0]  resp;
  } axil_r_t;
  typedef struct packed {
    axil_address_t aw;
    logic          aw_valid;
    axil_w_t       w;
    logic          w_valid;
    logic          b_ready;
    axil_address_t ar;
    logic          ar_valid;
    logic          r_ready;
  } axil_req_t;
  typedef struct packed {
    logic    aw_ready;
    logic    w_ready;
    axil_b_t b;
    logic    b_valid;
    logic    ar_ready;
    axil_r_t r;
    logic    r_valid;
  } axil_rsp_t;

endpackage
