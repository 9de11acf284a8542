// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "testbench/report/run_record.h"

namespace t3 {

/// One header line, then one line per run: the scenario's main figures, then the run's, with the
/// names of the JSON report ("dram_bytes.gemm_read"). Quoted as in RFC 4180; an empty field stands
/// for null in the JSON.
std::string csvReport(const Report& report);

/// The columns of one line, in order: name and text.
using CsvRow = std::vector<std::pair<std::string, std::string>>;

/// The runs of a report as rows that begin with the columns of `leading`. What only some runs have,
/// the figures of a switch that adds, is a column of theirs.
std::vector<CsvRow> csvRows(const Report& report, const CsvRow& leading = {});

/// Rows as text: a line with the names of all their columns, then the rows, with an empty field for
/// a column that a row has not. Texts are quoted if necessary.
std::string formatCsv(const std::vector<CsvRow>& rows);

}  // namespace t3
