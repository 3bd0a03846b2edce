#include "phrasing/words.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "analysis/diagnosis/verdicts/call_sites.h"
#include "analysis/stream/names.h"

namespace traced {

std::string ranksVerb(const std::vector<std::uint32_t>& ranks,
                      const char* singular, const char* plural) {
  return absl::StrCat(ranksText(ranks), " ",
                      ranks.size() == 1 ? singular : plural);
}

std::string capitalRanks(const std::vector<std::uint32_t>& ranks) {
  std::string text = ranksText(ranks);
  text.front() = 'R';
  return text;
}

std::string endOf(const std::vector<std::uint32_t>& ranks,
                  const std::string& end) {
  const bool several = ranks.size() > 1 && end.starts_with("was ");
  return several ? "were " + end.substr(4) : end;
}

std::string groupText(const JobState& job, std::uint32_t group) {
  return absl::StrCat("\"", job.catalog.label(group), "\"");
}

std::string numberText(const JobState& job, std::uint32_t group,
                       std::uint64_t seq) {
  return absl::StrCat("#", seq, " of ", groupText(job, group));
}

std::string callText(const JobState& job, const CollectiveAt& call) {
  return absl::StrCat(call.op, " ", numberText(job, call.group, call.seq));
}

std::string operationText(const JobState& job, const CallOn& call) {
  std::string text = call.op;
  if (call.seq > 0) absl::StrAppend(&text, " #", call.seq);
  if (call.pair) {
    const auto& [source, destination] = *call.pair;
    const bool sends = call.op == nameOf(v1::OPERATION_SEND);
    absl::StrAppend(&text, sends ? " to rank " : " from rank ",
                    sends ? destination : source);
  }
  return absl::StrCat(text, " on ", groupText(job, call.group));
}

std::string operationText(const JobState& job, const OperationRef& operation) {
  return operationText(job, callOn(operation));
}

std::string placedText(const JobState& job, const CallOn& call) {
  const std::string text = operationText(job, call);
  return call.place ? absl::StrCat(text, ", called ", placeText(*call.place))
                    : text;
}

std::string placeText(const CallSite& place) {
  std::vector<std::string> parts;
  if (!place.site.empty()) parts.push_back(absl::StrCat("at ", place.site));
  if (place.step) parts.push_back(absl::StrCat("in step ", *place.step));
  if (!place.module.empty()) {
    parts.push_back(place.phase.empty() ? absl::StrCat("in ", place.module)
                                        : absl::StrCat("in ", place.module,
                                                       " (", place.phase, ")"));
  } else if (!place.phase.empty()) {
    parts.push_back(absl::StrCat("in the ", place.phase));
  }
  if (!place.annotations.empty()) {
    parts.push_back(absl::StrCat("annotated \"", place.annotations, "\""));
  }
  if (!place.handling.empty()) {
    parts.push_back(absl::StrCat("while handling ", place.handling));
  }
  return absl::StrJoin(parts, ", ");
}

std::string stuckText(const JobState& job, const OperationSubject& operation) {
  if (operation.seq > 0) {
    return callText(job, {operation.op, operation.group, operation.seq});
  }
  if (!operation.pair) {
    return absl::StrCat(operation.op, " on ", groupText(job, operation.group));
  }
  const auto& [source, destination] = *operation.pair;
  return absl::StrCat("the message ", messageText(job, {operation.group, source,
                                                        destination, 0}));
}

std::string messageText(const JobState& job, const MessageAt& message) {
  return absl::StrCat(
      message.seq > 0 ? absl::StrCat("#", message.seq, " ") : "", "from rank ",
      message.source, " to rank ", message.destination, " on ",
      groupText(job, message.group));
}

std::string creatingText(const Creating& call) {
  return absl::StrCat(printable(call.function), "() for ",
                      secondsText(static_cast<std::int64_t>(call.for_ns)),
                      call.site.empty()
                          ? ""
                          : absl::StrCat(", called at ", printable(call.site)));
}

std::string silenceText(const Ranks& ranks, std::int64_t least_ns) {
  return absl::StrCat("called no operation for ",
                      ranks.size() > 1 ? "at least " : "",
                      secondsText(least_ns));
}

std::string nodeText(const std::string& name) {
  return name.empty() ? "a node without a name" : name;
}

std::string lostText(const std::vector<LostPart>& lost) {
  std::vector<std::string> texts;
  for (const auto& [what, count, reason] : lost) {
    switch (what) {
      case LostPart::What::kDropped:
        texts.push_back(absl::StrCat(count, " records dropped (", reason, ")"));
        break;
      case LostPart::What::kNotFound:
        texts.push_back(absl::StrCat(count, " records written but not found"));
        break;
      case LostPart::What::kGaps:
        texts.push_back(absl::StrCat(count, " gaps between chunks"));
        break;
      case LostPart::What::kRefusedBytes:
        texts.push_back(absl::StrCat(count, " bytes of chunks refused"));
        break;
      case LostPart::What::kUnknownCompression:
        texts.push_back(
            absl::StrCat(count, " chunks compressed in an unknown way"));
        break;
      case LostPart::What::kBrokenTables:
        texts.push_back(
            absl::StrCat(count, " chunks whose columns differ in length"));
        break;
      case LostPart::What::kOverlapping:
        texts.push_back(absl::StrCat(count, " chunks that overlap others"));
        break;
      case LostPart::What::kSinceSwitchedOff:
        texts.push_back("all since tracing was switched off");
        break;
    }
  }
  return absl::StrJoin(texts, ", ");
}

std::string secondsText(std::int64_t ns) {
  const double seconds = static_cast<double>(ns) / 1e9;
  if (seconds < 0.1) return absl::StrFormat("%.3g ms", seconds * 1e3);
  return absl::StrFormat("%.*f s", seconds < 10 ? 2 : 1, seconds);
}

}  // namespace traced
