#include "analysis/diagnosis/telling/words.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "analysis/stream/names.h"
#include "analysis/stream/rank_list.h"

namespace traced {

std::string ranksVerb(const std::vector<std::uint32_t>& ranks,
                      const char* singular, const char* plural) {
  return absl::StrCat(ranksText(ranks), " ",
                      ranks.size() == 1 ? singular : plural);
}

std::string endOf(const std::vector<std::uint32_t>& ranks,
                  const std::string& end) {
  const bool several = ranks.size() > 1 && end.starts_with("was ");
  return several ? "were " + end.substr(4) : end;
}

std::string operationText(const JobState& job, const OperationRef& operation) {
  std::string text = nameOf(operation.op);
  if (operation.seq > 0) absl::StrAppend(&text, " #", operation.seq);
  if (operation.pair) {
    const auto& [source, destination] = *operation.pair;
    const bool sends = operation.op == v1::OPERATION_SEND;
    absl::StrAppend(&text, sends ? " to rank " : " from rank ",
                    sends ? destination : source);
  }
  return absl::StrCat(text, " on \"", job.catalog.label(operation.group), "\"");
}

std::string operationText(const JobState& job, const JobVerdict& verdict) {
  if (verdict.seq > 0) {
    return absl::StrCat(verdict.op, " ",
                        placeText(job, verdict.group, verdict.seq));
  }
  const std::string on =
      absl::StrCat(" on \"", job.catalog.label(verdict.group), "\"");
  if (!verdict.pair) return verdict.op + on;
  const auto& [source, destination] = *verdict.pair;
  return absl::StrCat("the message from rank ", source, " to rank ",
                      destination, on);
}

std::string placedText(const JobState& job, const OperationRef& operation) {
  const std::string text = operationText(job, operation);
  return operation.place
             ? absl::StrCat(text, ", called ", placeText(*operation.place))
             : text;
}

std::string placeText(const JobState& job, std::uint32_t group,
                      std::uint64_t seq) {
  return absl::StrCat("#", seq, " of \"", job.catalog.label(group), "\"");
}

std::string silenceText(const Silence& silence) {
  return absl::StrCat("called no operation for ",
                      silence.ranks.size() > 1 ? "at least " : "",
                      secondsText(silence.least_ns));
}

std::string secondsText(std::int64_t ns) {
  const double seconds = static_cast<double>(ns) / 1e9;
  if (seconds < 0.1) return absl::StrFormat("%.3g ms", seconds * 1e3);
  return absl::StrFormat("%.*f s", seconds < 10 ? 2 : 1, seconds);
}

}  // namespace traced
