#include "cli/export/perfetto/operation_words.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "analysis/stream/names.h"
#include "cli/common/text.h"
#include "cli/export/operation_facts.h"
#include "cli/export/perfetto/rank_packets.h"

namespace traced::perfetto {
namespace {

constexpr std::size_t kEndings = 8;

std::string nameText(const StreamTable& table, const AssembledOperation& op,
                     std::uint64_t bytes, SpanEnd how) {
  std::string text = operationName(table, op);
  const v1::Call* call = table.callOf(op);
  if (bytes > 0) absl::StrAppend(&text, " ", bytesText(bytes));
  if (call && call->simulated()) text += " (simulated)";
  if (call && call->graph_plus_1() > 0) text += " (captured)";
  if (how == SpanEnd::kFailed) text += " (failed)";
  if (how == SpanEnd::kOpen) text += " (not ended)";
  if (how == SpanEnd::kNotSeen) text += " (end not seen)";
  return text;
}

}  // namespace

std::string OperationWords::groupName(std::uint32_t group) const {
  return group == GroupCatalog::kNone
             ? "operations of no known group"
             : absl::StrCat("group ", view_.run().groups.label(group));
}

std::string OperationWords::groupDescription(std::uint32_t group) const {
  if (group == GroupCatalog::kNone) return "";
  const JobGroup& known = view_.run().groups.groups()[group];
  return absl::StrCat(known.backend, ", ",
                      countOf(known.members.size(), "rank"), ": ",
                      known.members.text());
}

std::uint64_t OperationWords::bytesOf(const OperationSlice& slice) const {
  const v1::Call* call = table_.callOf(operationOf(slice));
  return call ? std::max(call->bytes_in(), call->bytes_out()) : 0;
}

bool OperationWords::sends(const OperationSlice& slice) const {
  const v1::Call* call = table_.callOf(operationOf(slice));
  return call && call->op() == v1::OPERATION_SEND;
}

std::uint64_t OperationWords::name(Sequence& to, const OperationSlice& slice) {
  const AssembledOperation& op = operationOf(slice);
  const auto text = [&] {
    return nameText(table_, op, bytesOf(slice), slice.how);
  };
  if (op.call == AssembledOperation::kNoCall) return to.name(text());
  const std::size_t place =
      op.call * kEndings + static_cast<std::size_t>(slice.how);
  if (place >= names_.size()) names_.resize((op.call + 1) * kEndings);
  if (names_[place] == 0) names_[place] = to.name(text());
  return names_[place];
}

void OperationWords::annotate(Sequence& to, const OperationSlice& slice,
                              const RowFacts& facts) const {
  class Annotations : public FactTaker {
   public:
    explicit Annotations(Sequence& to) : to_(to) {}
    void take(const char* name, std::uint64_t value) override {
      to_.annotate(name, value);
    }
    void take(const char* name, const std::string& text) override {
      to_.annotate(name, text);
    }

   private:
    Sequence& to_;
  };
  Annotations annotations(to);
  tellFacts(annotations, table_, slice, facts.latest);
}

}  // namespace traced::perfetto
