// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <string>

namespace t3 {

/// What ended a simulation, for the person who ran it. The text of a SystemC report says when and
/// where; memory that ran out says what needs less.
std::string failureText(const std::exception& failure);

}  // namespace t3
