// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>

namespace t3 {

/// Columns of the terminal that a file descriptor is; none if it is no terminal.
std::optional<std::size_t> terminalColumns(int descriptor);

/// Columns of the terminal that a file descriptor is, if a line on it can be erased; none if it is
/// no terminal, or one without such control codes (TERM is dumb, or not set).
std::optional<std::size_t> erasableColumns(int descriptor);

/// How wide a table in a file may be.
inline constexpr std::size_t kTableColumns = 200;
/// How wide a table on standard output may be: the terminal's columns; where there is none, what
/// the environment says in COLUMNS, else `kTableColumns`.
std::size_t tableColumns();

}  // namespace t3
