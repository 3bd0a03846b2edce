#include "cli/export/parquet/job_tables.h"

namespace traced {
namespace {

const TableSpec& groupTableSpec() {
  constexpr auto kText = ColumnKind::kText;
  static const TableSpec spec = {"groups",
                                 {{"group_label", kText},
                                  {"name", kText},
                                  {"description", kText},
                                  {"backend", kText},
                                  {"leg", kText},
                                  {"nth"},
                                  {"size"},
                                  {"members", kText},
                                  {"left_out", ColumnKind::kFlag}},
                                 {}};
  return spec;
}

}  // namespace

void writeGroups(const TableFolder& folder, const GroupCatalog& groups) {
  TableFile file(folder, groupTableSpec(), 0);
  for (const JobGroup& group : groups.groups()) {
    std::size_t column = 0;
    file[column++].addText(group.label);
    file[column++].addText(group.name);
    file[column++].addText(group.desc);
    file[column++].addText(group.backend);
    file[column++].addText(group.leg);
    file[column++].add(group.nth);
    // Dumps may not tell who is in a group.
    const std::uint32_t size = group.members.size();
    file[column++].add(size > 0 ? std::int64_t{size} : kNoValue);
    file[column++].addText(size > 0 ? group.members.text() : "");
    file[column++].addFlag(group.left_out);
    file.endRow();
  }
  file.finish();
}

}  // namespace traced
