// Tables about the whole job, written once all of it is known.

#pragma once

#include "analysis/diagnosis/diagnosis.h"
#include "analysis/job/group_catalog.h"
#include "cli/export/parquet/table_file.h"

namespace traced {

// "groups".
void writeGroups(const TableFolder& folder, const GroupCatalog& groups);

// "verdicts", and "verdict_ranks": a row for each rank that one is about.
void writeVerdicts(const TableFolder& folder, const Diagnosis& diagnosis);

}  // namespace traced
