#include "cli/common/event_words.h"

#include <limits>

#include "absl/strings/str_cat.h"
#include "analysis/job/group_catalog.h"
#include "analysis/match/match.h"
#include "analysis/stream/names.h"
#include "phrasing/text.h"

namespace traced {

EventWords::EventWords(const StreamTable& table) : table_(table) {
  for (const Marks::Event& event : table.marks.events()) {
    if (isAboutOperation(event.kind)) operations_[event.value] = nullptr;
  }
  if (operations_.empty()) return;
  for (const AssembledOperation& op : table.operations) {
    const auto failed = operations_.find(op.id);
    if (failed != operations_.end()) failed->second = &op;
  }
}

std::string EventWords::text(const Marks::Event& event) const {
  switch (event.kind) {
    case v1::MARK_KIND_FLUSH:
      return "the trigger file was touched";
    case v1::MARK_KIND_SETTINGS:
      return absl::StrCat("settings were asked for", detailOf(event));
    case v1::MARK_KIND_FAILURE:
      return absl::StrCat(operationText(event.value), " failed",
                          detailOf(event));
    case v1::MARK_KIND_UNFINISHED:
      return absl::StrCat(operationText(event.value),
                          " has not ended for longer than it may");
    case v1::MARK_KIND_UNDECIDED:
      return absl::StrCat(operationText(event.value),
                          " may not have ended for longer than it may: only a "
                          "wait would show it");
    case v1::MARK_KIND_LATE:
      return absl::StrCat(operationText(event.value),
                          " took longer than it may");
    case v1::MARK_KIND_ABORT:
      return absl::StrCat(groupLabel(event.value), " is aborted");
    case v1::MARK_KIND_SHUTDOWN_FAILED:
      return absl::StrCat("shutting down ", groupLabel(event.value), " failed",
                          detailOf(event));
    case v1::MARK_KIND_ENGINE_FAILED:
      return absl::StrCat("the engine of ", groupLabel(event.value), " gave up",
                          detailOf(event));
    case v1::MARK_KIND_EXCEPTION:
      return absl::StrCat("nobody caught an exception",
                          event.value == 0 ? "" : " in thread",
                          detailOf(event));
    case v1::MARK_KIND_DEVICE_CLOCK:
      return absl::StrCat("device times are off by at most ",
                          threeDigits(static_cast<double>(event.value) / 1e3),
                          " us on the host's clock");
    case v1::MARK_KIND_DEVICE_UNTIMED:
      return absl::StrCat("operations and waits without device times so far: ",
                          groupedText(event.value), detailOf(event));
    default:
      return nameOf(event.kind);
  }
}

Json EventWords::json(const Marks::Event& event) const {
  Json json = {{"kind", nameOf(event.kind)}};
  if (event.at.known()) json["mark_ns"] = event.at.ns();
  json["position"] = event.position;
  switch (event.kind) {
    case v1::MARK_KIND_FAILURE:
    case v1::MARK_KIND_UNFINISHED:
    case v1::MARK_KIND_UNDECIDED:
    case v1::MARK_KIND_LATE:
      json["op_id"] = event.value;
      break;
    case v1::MARK_KIND_DEVICE_CLOCK:
      json["error_ns"] = event.value;
      break;
    case v1::MARK_KIND_DEVICE_UNTIMED:
      json["untimed"] = event.value;
      break;
    case v1::MARK_KIND_SETTINGS:
      json["request"] = event.value;
      break;
    case v1::MARK_KIND_EXCEPTION:
      json["ends_process"] = event.value == 0;
      break;
    case v1::MARK_KIND_ABORT:
    case v1::MARK_KIND_SHUTDOWN_FAILED:
    case v1::MARK_KIND_ENGINE_FAILED:
      json["group"] = groupLabel(event.value);
      break;
    default:
      break;
  }
  const std::string* text = table_.definitions.text(event.text);
  if (event.text && text) json["text"] = *text;
  return json;
}

std::string EventWords::operationText(std::uint64_t id) const {
  const auto found = operations_.find(id);
  if (found == operations_.end() || !found->second) return "an operation";
  const AssembledOperation& op = *found->second;
  std::string text = operationName(table_, op);
  if (op.seq > 0) absl::StrAppend(&text, " #", op.seq);
  const v1::Call* call = table_.callOf(op);
  return call ? absl::StrCat(text, " on ", groupLabel(call->group())) : text;
}

std::string EventWords::groupLabel(std::uint64_t id) const {
  if (id > std::numeric_limits<std::uint32_t>::max()) return "a group";
  const std::uint32_t index =
      table_.definitions.group(static_cast<std::uint32_t>(id));
  return index == StreamDefinitions::kNone
             ? "a group"
             : givenLabel(table_.definitions.groups()[index]);
}

std::string EventWords::detailOf(const Marks::Event& event) const {
  const std::string* text = table_.definitions.text(event.text);
  return event.text && text ? absl::StrCat(": ", *text) : "";
}

}  // namespace traced
