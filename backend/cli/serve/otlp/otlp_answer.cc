#include "cli/serve/otlp/otlp_answer.h"

#include <algorithm>
#include <ctime>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "cli/common/json.h"
#include "cli/common/text.h"

namespace traced {
namespace {

constexpr std::int64_t kLongestPauseS = 300;
constexpr std::size_t kMostWords = 200;

std::string shown(const std::string& words) {
  return printable(words.substr(0, kMostWords));
}

// "" of what has none.
std::string textIn(const Json& json, const char* field) {
  const auto found = json.find(field);
  return found != json.end() && found->is_string() ? found->get<std::string>()
                                                   : "";
}

// A number, or a text as integers of 64 bits are.
std::uint64_t countIn(const Json& json, const char* field) {
  const auto found = json.find(field);
  if (found == json.end()) return 0;
  if (found->is_number_unsigned()) return found->get<std::uint64_t>();
  std::uint64_t count = 0;
  return absl::SimpleAtoi(textIn(json, field), &count) ? count : 0;
}

void addRefused(const std::string& body, OtlpAnswer& answer) {
  const Json json = Json::parse(body, nullptr, false);
  if (!json.is_object() || !json.contains("partialSuccess")) return;
  const Json& part = json["partialSuccess"];
  if (!part.is_object()) return;
  answer.refused_points = countIn(part, "rejectedDataPoints");
  const std::string words = shown(textIn(part, "errorMessage"));
  if (answer.refused_points > 0) {
    answer.problem = absl::StrCat("the collector refused ",
                                  countOf(answer.refused_points, "data point"),
                                  words.empty() ? "" : ": ", words);
  } else {
    answer.problem = words;
  }
}

// Seconds, or a date.
std::optional<std::chrono::seconds> retryAfter(const std::string& text,
                                               std::int64_t now_s) {
  std::int64_t seconds = 0;
  if (!absl::SimpleAtoi(text, &seconds)) {
    std::tm date{};
    const char* end = strptime(text.c_str(), "%a, %d %b %Y %T GMT", &date);
    if (!end || *end != '\0') return std::nullopt;
    seconds = timegm(&date) - now_s;
  }
  return std::chrono::seconds(
      std::clamp<std::int64_t>(seconds, 0, kLongestPauseS));
}

}  // namespace

OtlpAnswer otlpAnswer(const Result<HttpAnswer>& answer, std::int64_t now_s) {
  OtlpAnswer meaning;
  if (!answer) {
    meaning.problem = answer.error().message;
    return meaning;
  }
  meaning.is_taken = answer->status / 100 == 2;
  if (meaning.is_taken) {
    addRefused(answer->body, meaning);
    return meaning;
  }
  const Json json = Json::parse(answer->body, nullptr, false);
  const std::string words = json.is_object() ? textIn(json, "message") : "";
  meaning.problem = absl::StrCat("the collector answered ", answer->status, " ",
                                 shown(words.empty() ? answer->reason : words));
  switch (answer->status) {
    case 429:
    case 502:
    case 503:
    case 504:
      meaning.retry_after = retryAfter(answer->retry_after, now_s);
  }
  return meaning;
}

}  // namespace traced
