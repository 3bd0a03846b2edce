#include "cli/serve/metric_families.h"

#include <string_view>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/utf8.h"

namespace traced {
namespace {

const char* typeName(MetricType type) {
  switch (type) {
    case MetricType::kCounter:
      return "counter";
    case MetricType::kHistogram:
      return "histogram";
    case MetricType::kGauge:
      break;
  }
  return "gauge";
}

// Escapes a label value. A group's name can contain any character.
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

class FamilyText {
 public:
  FamilyText(const std::string& name, std::string& text)
      : name_(name), text_(text) {}

  void add(const MetricSample& sample, bool is_counter) {
    if (const double* value = std::get_if<double>(&sample.value)) {
      addLine(is_counter ? "_total" : "", sample.labels, *value);
    } else {
      addBuckets(sample.labels, std::get<TimeBuckets>(sample.value));
    }
  }

 private:
  void addLine(const char* suffix, const MetricLabels& labels, double value) {
    absl::StrAppend(&text_, name_, suffix);
    const char* separator = "{";
    for (const auto& [label, text] : labels) {
      absl::StrAppend(&text_, separator, label, "=\"", escaped(text), "\"");
      separator = ",";
    }
    absl::StrAppend(&text_, labels.empty() ? " " : "} ",
                    absl::StrFormat("%.17g", value), "\n");
  }

  void addBuckets(const MetricLabels& labels, const TimeBuckets& buckets) {
    constexpr std::size_t kBounds = TimeBuckets::kBounds;
    MetricLabels bounded = labels;
    bounded.emplace_back("le", "");
    for (std::size_t i = 0; i <= kBounds; ++i) {
      bounded.back().second =
          i == kBounds ? "+Inf"
                       : absl::StrFormat("%.9g", TimeBuckets::boundSeconds(i));
      addLine("_bucket", bounded, static_cast<double>(buckets.upTo(i)));
    }
    addLine("_sum", labels, buckets.totalSeconds());
    addLine("_count", labels, static_cast<double>(buckets.total()));
  }

  const std::string& name_;
  std::string& text_;
};

}  // namespace

MetricLabels joined(MetricLabels all, MetricLabels more) {
  for (auto& label : more) all.push_back(std::move(label));
  return all;
}

double metricSeconds(std::uint64_t ns) { return static_cast<double>(ns) / 1e9; }

void MetricFamilies::gauge(const std::string& name, const char* help,
                           MetricLabels labels, double value) {
  add(name, MetricType::kGauge, help, {0, std::move(labels), value});
}

void MetricFamilies::counter(const std::string& name, const char* help,
                             MetricLabels labels, double value) {
  add(name, MetricType::kCounter, help, {0, std::move(labels), value});
}

void MetricFamilies::histogram(const std::string& name, const char* help,
                               MetricLabels labels,
                               const TimeBuckets& buckets) {
  add(name, MetricType::kHistogram, help, {0, std::move(labels), buckets});
}

void MetricFamilies::add(const std::string& name, MetricType type,
                         const char* help, MetricSample sample) {
  const auto [place, is_new] = families_.try_emplace(name);
  MetricFamily& family = place->second;
  if (is_new) {
    family.type = type;
    family.help = help;
  }
  sample.source = sources_.size() - 1;
  family.samples.push_back(std::move(sample));
}

std::string openMetricsText(const MetricFamilies& metrics) {
  std::string text;
  for (const auto& [name, family] : metrics.families()) {
    absl::StrAppend(&text, "# TYPE ", name, " ", typeName(family.type), "\n",
                    "# HELP ", name, " ", escaped(family.help), "\n");
    FamilyText samples(name, text);
    for (const MetricSample& sample : family.samples) {
      samples.add(sample, family.type == MetricType::kCounter);
    }
  }
  return text + "# EOF\n";
}

}  // namespace traced
