#include "cli/serve/exposition.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/utf8.h"

namespace traced {
namespace {

const char* typeName(Exposition::Type type) {
  switch (type) {
    case Exposition::Type::kCounter:
      return "counter";
    case Exposition::Type::kHistogram:
      return "histogram";
    case Exposition::Type::kGauge:
      break;
  }
  return "gauge";
}

// A label's value may be anything that a program calls a group.
std::string escaped(std::string_view value) {
  std::string text;
  for (const char c : toValidUtf8(value)) {
    if (c == '\\' || c == '"') {
      text += '\\';
      text += c;
    } else if (c == '\n') {
      text += "\\n";
    } else {
      text += static_cast<unsigned char>(c) < 0x20 ? '?' : c;
    }
  }
  return text;
}

}  // namespace

void Exposition::family(const std::string& name, Type type,
                        const std::string& help) {
  current_ = families_.try_emplace(name, Family{type, help, ""}).first;
}

void Exposition::add(const MetricLabels& labels, double value,
                     const std::string& suffix) {
  auto& [name, family] = *current_;
  absl::StrAppend(&family.samples, name,
                  family.type == Type::kCounter ? "_total" : "", suffix);
  char separator = '{';
  for (const auto& [label, text] : labels) {
    absl::StrAppend(&family.samples, std::string(1, separator), label, "=\"",
                    escaped(text), "\"");
    separator = ',';
  }
  absl::StrAppend(&family.samples, labels.empty() ? " " : "} ",
                  absl::StrFormat("%.17g", value), "\n");
}

std::string Exposition::text() const {
  std::string text;
  for (const auto& [name, family] : families_) {
    if (family.samples.empty()) continue;
    absl::StrAppend(&text, "# TYPE ", name, " ", typeName(family.type), "\n",
                    "# HELP ", name, " ", escaped(family.help), "\n",
                    family.samples);
  }
  return text + "# EOF\n";
}

}  // namespace traced
