#include "truth/program.h"

#include <array>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "analysis/stream/names.h"

namespace traced::truth {
namespace {

constexpr std::array<const char*, kAllFaultKinds> kFaultNames = {
    "none",        "skip",       "extra",           "other op",
    "other dtype", "other size", "other reduce op", "other root",
    "swap",        "lost send",  "stray recv",      "dead",
    "raise",       "stuck",      "stuck inside",    "late",
    "straggler",   "slow link",  "late in turn",    "stragglers",
    "swallowed",   "timed out",  "unsynchronised"};

constexpr const char* kCutOffs[] = {"killed", "seen to be killed", "terminated",
                                    "aborted", "interrupted"};

std::string textOf(const Item& item) {
  const char* kind = item.kind == ItemKind::kExchange   ? "exchange"
                     : item.kind == ItemKind::kPipeline ? "pipeline"
                                                        : nullptr;
  const char* waiting = item.waiting == Waiting::kSync    ? "sync"
                        : item.waiting == Waiting::kAsync ? "async"
                                                          : "future";
  std::string text = absl::StrCat(
      "  item ", item.id, ": compute ", item.compute_us, " us, ",
      kind ? std::string(kind) : traced::nameOf(item.op), " of ", item.elements,
      " ", traced::nameOf(item.dtype), " in role ", item.role, ", ", waiting);
  if (kind) {
    absl::StrAppend(&text, ", tag ", item.tag);
  } else {
    absl::StrAppend(&text, ", root ", item.root, item.uneven ? ", uneven" : "",
                    ", ", traced::nameOf(item.reduce_op),
                    item.in_backward ? ", in backward" : "");
  }
  return text + "\n";
}

}  // namespace

const char* nameOf(FaultKind kind) {
  return kFaultNames[static_cast<std::size_t>(kind)];
}

std::string textOf(const Program& program) {
  std::string text =
      absl::StrCat("  seed ", program.seed, ", ", program.world, " ranks, ",
                   program.ranks_per_host, " on each host, ", program.steps,
                   " steps", program.step_marks ? "" : " without marks",
                   ", hangs ", program.hang_ms, " ms\n  features:");
  for (std::size_t i = 0; i < kFeatureCount; ++i) {
    if (program.features.test(i)) absl::StrAppend(&text, " ", kFeatures[i]);
  }
  absl::StrAppend(&text, "\n");
  for (std::size_t i = 0; i < program.roles.size(); ++i) {
    absl::StrAppend(&text, "  role ", i, " \"", program.roles[i].desc, "\":");
    for (const Ranks& group : program.roles[i].groups) {
      absl::StrAppend(&text, " {", absl::StrJoin(group, ","), "}");
    }
    absl::StrAppend(&text, "\n");
  }
  if (program.own_groups) text += "  each rank makes only its own groups\n";
  for (const Item& item : program.items) text += textOf(item);
  const Fault& fault = program.fault;
  absl::StrAppend(
      &text, "  fault: ", nameOf(fault.kind), ", rank ", fault.rank, ", step ",
      fault.step, ", item ", fault.item, ", ", fault.ns, " ns, then ",
      fault.consequence == Consequence::kHang   ? "hangs"
      : fault.consequence == Consequence::kFail ? "fails"
                                                : "goes on",
      ", ", kCutOffs[static_cast<std::size_t>(fault.cut_off)], "\n");
  const Variation& variation = program.variation;
  absl::StrAppend(
      &text, "  traces: killed at ", variation.killed_at_percent, " %",
      variation.recovered ? "" : ", not recovered", ", missing ",
      variation.missing, " from ", variation.missing_from,
      variation.lost_chunk
          ? absl::StrCat(", a chunk lost of ", variation.lost_chunk_of)
          : "",
      variation.beside_older ? ", beside an older run" : "",
      variation.merged ? ", merged" : "", "\n");
  return text;
}

}  // namespace traced::truth
