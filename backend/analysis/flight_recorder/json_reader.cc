#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "analysis/flight_recorder/document.h"

namespace traced {
namespace {

using Json = nlohmann::json;

// Callbacks of the parser, which determines their names.
class DocumentBuilder : public nlohmann::json_sax<Json> {
 public:
  bool null() override { return take(document.addNone()); }
  bool boolean(bool value) override { return take(document.addBool(value)); }
  bool number_integer(number_integer_t value) override {
    return take(document.addInt(value));
  }
  bool number_unsigned(number_unsigned_t value) override {
    constexpr auto kMax = std::numeric_limits<std::int64_t>::max();
    if (value > static_cast<number_unsigned_t>(kMax)) return null();
    return take(document.addInt(static_cast<std::int64_t>(value)));
  }
  bool number_float(number_float_t value, const string_t&) override {
    return take(document.addDouble(value));
  }
  bool string(string_t& text) override { return take(document.addText(text)); }
  bool binary(binary_t&) override { return null(); }
  bool key(string_t& text) override { return take(document.addText(text)); }
  bool start_object(std::size_t) override { return open(document.addDict()); }
  bool start_array(std::size_t) override { return open(document.addList()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool parse_error(std::size_t position, const std::string&,
                   const Json::exception&) override {
    problem = absl::StrCat("byte ", position, ": not valid JSON");
    return false;
  }

  Document document;
  std::string problem;

 private:
  bool take(Document::Id id) {
    if (document.full()) {
      problem = "more values than any dump has";
      return false;
    }
    if (open_.empty()) {
      document.setRoot(id);
    } else {
      document.append(open_.back(), id);
    }
    return true;
  }
  bool open(Document::Id id) {
    if (!take(id)) return false;
    open_.push_back(id);
    return true;
  }
  bool close() {
    open_.pop_back();
    return true;
  }

  std::vector<Document::Id> open_;
};

}  // namespace

bool beginsAsJson(std::string_view text) {
  const auto first =
      absl::StripLeadingAsciiWhitespace({text.data(), text.size()});
  return !first.empty() && first.front() == '{';
}

Result<Document> readJson(std::string_view text) {
  DocumentBuilder builder;
  if (!Json::sax_parse(text.begin(), text.end(), &builder)) {
    return Error{builder.problem};
  }
  return std::move(builder.document);
}

}  // namespace traced
