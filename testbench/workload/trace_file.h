// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "testbench/workload/trace_node.h"

namespace t3 {

/// The Chakra trace in a file: messages with their lengths in front, a GlobalMetadata and then
/// Nodes. Every message must be whole and have no fields but those of the schema (chakra.proto);
/// attributes that mean something here must have a value of their kind, and nodes what their type
/// needs. What nodes mean together is not looked at. Throws ConfigError: file, node, what was
/// expected.
TraceFile readTraceFile(const std::string& path);
/// The same of bytes; errors name `source`.
TraceFile readTraceBytes(const std::string& bytes, const std::string& source);

}  // namespace t3
