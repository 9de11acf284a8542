// SPDX-License-Identifier: Apache-2.0
#include <boost/json/parse.hpp>

#include "testbench/collective/graph_file.h"

namespace t3 {
namespace {

/// What one entry alone can be wrong in. Names that must exist, and rules of the graph as a whole,
/// are left to the program.
constexpr const char* kSchema = R"json({
"type": "object",
"properties": {
  "$schema": {"type": "string", "description": "for editors; t3sim does not read it"},
  "outputs": {"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/output"},
    "description": "matrices that every GPU has"},
  "nodes": {"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/node"},
    "description": "what every GPU runs"}
},
"required": ["outputs", "nodes"],
"additionalProperties": false,
"$defs": {
  "name": {"type": "string", "minLength": 1},
  "count": {"type": "integer", "minimum": 1, "maximum": 2147483647},
  "nodes": {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]},
  "output": {
    "type": "object",
    "properties": {
      "name": {"$ref": "#/$defs/name", "description": "that no other output has"},
      "rows": {"$ref": "#/$defs/count"},
      "columns": {"$ref": "#/$defs/count"},
      "depth": {
        "anyOf": [{"$ref": "#/$defs/count"},
                  {"type": "array", "minItems": 2, "items": {"$ref": "#/$defs/count"}}],
        "description": "columns of the operands, K: of all GPUs, or one for each"},
      "operand": {"$ref": "#/$defs/name",
        "description": "an output that stands before: the first operand"},
      "given": {"type": "boolean", "default": false,
        "description": "no GEMM makes it: it is in memory at the begin"}
    },
    "required": ["name", "rows", "columns"],
    "additionalProperties": false,
    "if": {"properties": {"given": {"const": true}}, "required": ["given"]},
    "then": {"properties": {"depth": false, "operand": false}},
    "else": {"oneOf": [{"required": ["depth"]}, {"required": ["operand"]}]}
  },
  "node": {
    "type": "object",
    "properties": {
      "name": {"$ref": "#/$defs/name", "description": "that no other node has"},
      "gemm": {"type": "string", "description": "the output that this GEMM makes"},
      "norm": {"type": "string", "description": "the output whose rows are normed"},
      "delay_us": {"type": "number", "minimum": 0, "maximum": 10000000000,
        "description": "a time that passes; it takes neither compute units nor memory (us)"},
      "collective": {"enum": ["reduce-scatter", "all-gather", "all-reduce"]},
      "of": {"type": "string", "description": "the output that a collective works on"},
      "by": {"enum": ["kernels", "tracker", "loads"], "default": "kernels",
        "description": "who does a collective"},
      "units": {"$ref": "#/$defs/count",
        "description": "compute units that the kernels of a collective hold against GEMMs"},
      "after": {"$ref": "#/$defs/nodes", "description": "it begins when these have ended"},
      "chunks": {"$ref": "#/$defs/nodes", "description": "it works on chunks of these"},
      "rows": {"$ref": "#/$defs/nodes", "description": "it works on rows of these"}
    },
    "required": ["name"],
    "additionalProperties": false,
    "oneOf": [{"required": ["gemm"]}, {"required": ["norm"]}, {"required": ["delay_us"]},
              {"required": ["collective"]}],
    "dependentRequired": {"collective": ["of"], "of": ["collective"], "by": ["collective"],
                          "units": ["collective"]},
    "if": {"properties": {"by": {"const": "tracker"}}, "required": ["by"]},
    "then": {"properties": {"collective": {"enum": ["reduce-scatter", "all-gather"]},
                            "units": false}}
  }
}
})json";

}  // namespace

boost::json::object graphSchema() { return boost::json::parse(kSchema).as_object(); }

}  // namespace t3
