// Tests that the tables of docs/reference/diagnosis.md match the code.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "analysis/diagnosis/rules.h"
#include "analysis/diagnosis/verdicts/action_rules.h"
#include "analysis/diagnosis/verdicts/verdict.h"
#include "analysis/job/signature.h"
#include "analysis/stream/names.h"
#include "analysis/stream/observed_end.h"
#include "analysis/stream/operation_kinds.h"
#include "analysis/stream/source_capabilities.h"
#include "base/engine_traits.h"
#include "doc_table.h"
#include "phrasing/action_text.h"

namespace traced::testing {
namespace {

constexpr char kDiagnosisPage[] = "reference/diagnosis.md";

using Names = std::set<std::string>;

Names namesIn(const std::string& text) {
  const std::vector<std::string> quoted = quotedIn(text);
  return {quoted.begin(), quoted.end()};
}

std::vector<VerdictKind> allKinds() {
  std::vector<VerdictKind> kinds;
  for (int i = 0; i <= static_cast<int>(VerdictKind::kUndecided); ++i) {
    kinds.push_back(static_cast<VerdictKind>(i));
  }
  return kinds;
}

// The kinds in the page's sections, by whether a finding can be certain.
struct SectionKinds {
  Names certain;
  Names never;
};

SectionKinds sectionKinds() {
  SectionKinds kinds;
  Names of_section;
  for (absl::string_view line :
       absl::StrSplit(textOfPage(kDiagnosisPage), '\n')) {
    if (absl::StartsWith(line, "#")) {
      EXPECT_THAT(of_section, ::testing::IsEmpty()) << "without **Certain**";
      of_section.clear();
      if (absl::ConsumePrefix(&line, "### `")) {
        of_section = namesIn(absl::StrCat("`", line));
      }
    } else if (absl::ConsumePrefix(&line, "- **Certain**: ")) {
      const bool never = absl::StartsWith(line, "never");
      (never ? kinds.never : kinds.certain).merge(of_section);
      of_section.clear();
    }
  }
  return kinds;
}

TEST(DiagnosisPageTest, EachKindStatesItsPossibleConfidence) {
  auto [certain, never] = sectionKinds();
  for (const VerdictKind kind : allKinds()) {
    if (kind == VerdictKind::kUndecided) continue;
    SCOPED_TRACE(nameOf(kind));
    const bool provable = strongestOf(kind).finding == Confidence::kCertain;
    EXPECT_EQ((provable ? certain : never).erase(nameOf(kind)), 1u);
  }
  EXPECT_THAT(certain, ::testing::IsEmpty()) << "no such kinds";
  EXPECT_THAT(never, ::testing::IsEmpty()) << "no such kinds";
}

TEST(DiagnosisPageTest, ACulpritIsCertainInTheKindsThatItNames) {
  const std::string page = textOfPage(kDiagnosisPage);
  const std::size_t from = page.find("A **culprit** is certain in ");
  ASSERT_NE(from, std::string::npos);
  Names named = namesIn(page.substr(from, page.find(':', from) - from));
  for (const VerdictKind kind : allKinds()) {
    const bool provable = strongestOf(kind).culprit == Confidence::kCertain;
    EXPECT_EQ(named.contains(nameOf(kind)), provable) << nameOf(kind);
  }
}

TEST(DiagnosisPageTest, EachKindIsInTheTableOfLines) {
  Names named;
  for (const DocRow& row :
       tableOf(kDiagnosisPage, "the line contains | kind")) {
    named.merge(namesIn(row[1]));
  }
  for (const VerdictKind kind : allKinds()) {
    const std::string name = nameOf(kind);
    if (absl::EndsWith(name, "_mismatch")) continue;
    EXPECT_TRUE(named.contains(name)) << name;
  }
}

TEST(DiagnosisPageTest, TheTableOfActionsHasAllRules) {
  std::vector<DocRow> rows;
  for (int i = 0; i <= static_cast<int>(ActionRule::kOnlyObserved); ++i) {
    const ActionTraits& traits = traitsOf(static_cast<ActionRule>(i));
    rows.push_back({absl::StrCat("`", traits.name, "`"),
                    absl::StrCat("`", nameOf(traits.action), "`"),
                    nameOf(traits.strongest), whyText(traits.rule)});
  }
  EXPECT_EQ(tableOf(kDiagnosisPage, "rule | action | at most | reason"), rows);
}

TEST(DiagnosisPageTest, EachRuleHasTheNeedsThatItNames) {
  std::map<std::string, Names> needs;
  for (const DocRow& row :
       tableOf(kDiagnosisPage, "rules | evidence that they need")) {
    for (const std::string& rule : quotedIn(row[0])) {
      needs[rule] = namesIn(row[1]);
    }
  }
  EXPECT_EQ(needs.size(), rules().size());
  for (const Rule& rule : rules()) {
    Names of_rule;
    for (const SourceCapability evidence : kAllCapabilities) {
      if (rule.needs.has(evidence)) of_rule.insert(nameOf(evidence));
    }
    EXPECT_EQ(needs[rule.name], of_rule) << rule.name;
  }
}

TEST(DiagnosisPageTest, AllEvidenceIsExplained) {
  Names documented;
  for (const DocRow& row :
       tableOf(kDiagnosisPage, "evidence | content | without it")) {
    documented.merge(namesIn(row[0]));
  }
  Names all;
  for (const SourceCapability evidence : kAllCapabilities)
    all.insert(nameOf(evidence));
  EXPECT_EQ(documented, all);
}

v1::Call callOf(v1::Operation op, bool uneven) {
  v1::Call call;
  call.set_op(op);
  call.set_bytes_in(64);
  call.set_bytes_out(128);
  for (int i = 0; i < (uneven ? 2 : 1); ++i) {
    for (v1::TensorRun* run : {call.add_input(), call.add_output()}) {
      run->set_dtype(v1::DTYPE_FLOAT32);
      run->add_shape(16 + i);
    }
  }
  if (uneven && op == v1::OPERATION_ALL_TO_ALL_SINGLE) {
    call.add_split_in(7);
    call.add_split_out(7);
  }
  return call;
}

// Returns whether ranks disagree if one of them changes the call.
bool matters(const v1::Call& call, const std::function<void(v1::Call&)>& make) {
  v1::Call changed = call;
  make(changed);
  return signatureOf(call, CapabilitySet::all()) !=
         signatureOf(changed, CapabilitySet::all());
}

// Returns the byte counts on which ranks must agree, in the words of the page.
std::string bytesOf(v1::Operation op, bool uneven) {
  const v1::Call call = callOf(op, uneven);
  std::vector<std::string> parts;
  if (matters(call, [](v1::Call& c) { c.set_bytes_in(32); })) {
    parts.push_back("input");
  }
  if (matters(call, [](v1::Call& c) { c.set_bytes_out(32); })) {
    parts.push_back("output");
  }
  return parts.empty() ? "nothing" : absl::StrJoin(parts, ", ");
}

// Returns whether the table excludes an operation: it has no bytes, or is no
// collective.
bool isOutside(v1::Operation op) {
  return op == v1::OPERATION_UNSPECIFIED || op >= v1::OPERATION_COALESCED ||
         op == v1::OPERATION_BARRIER || op == v1::OPERATION_MONITORED_BARRIER ||
         isPointToPoint(op);
}

TEST(DiagnosisPageTest, RanksMustAgreeOnTheDocumentedFields) {
  std::map<std::string, DocRow> rows;
  for (const DocRow& row : tableBehind(kDiagnosisPage, "Matching")) {
    for (const std::string& op : quotedIn(row[0])) rows[op] = row;
  }
  std::size_t operations = 0;
  for (int number = 0; number < kOperationCount; ++number) {
    const auto op = static_cast<v1::Operation>(number);
    if (isOutside(op)) continue;
    SCOPED_TRACE(nameOf(op));
    ++operations;
    ASSERT_TRUE(rows.contains(nameOf(op)));
    EXPECT_EQ(rows[nameOf(op)][1], bytesOf(op, false));
    EXPECT_EQ(rows[nameOf(op)][2], bytesOf(op, true));
    const v1::Call call = callOf(op, false);
    EXPECT_TRUE(matters(call, [](v1::Call& c) { c.set_root_plus_1(2); }));
    EXPECT_TRUE(
        matters(call, [](v1::Call& c) { c.set_reduce_op(v1::REDUCE_OP_MAX); }));
    EXPECT_TRUE(matters(call, [](v1::Call& c) {
      c.mutable_input(0)->set_dtype(v1::DTYPE_INT64);
      c.mutable_output(0)->set_dtype(v1::DTYPE_INT64);
    }));
  }
  EXPECT_EQ(rows.size(), operations);
}

std::string wordOf(EngineTraits::Tags tags) {
  switch (tags) {
    case EngineTraits::Tags::kMatched:
      return "matched";
    case EngineTraits::Tags::kIgnored:
      return "ignored";
    case EngineTraits::Tags::kUnknown:
      break;
  }
  return "unknown";
}

void expectRow(const DocRow& row, const EngineTraits& engine) {
  SCOPED_TRACE(row[0]);
  EXPECT_EQ(row[1], engine.on_host      ? "the host"
                    : engine.on_streams ? "a device"
                                        : "unknown");
  EXPECT_EQ(row[2], wordOf(engine.tags));
  EXPECT_EQ(row[3] != "none", engine.some_end_in_wait);
  EXPECT_EQ(row[4], engine.two_workers ? "yes" : "no");
  EXPECT_EQ(row[5], engine.in_order ? "yes" : "unknown");
  EXPECT_EQ(row[6], engine.ends_prove_starts ? "yes"
                    : engine.isKnown()       ? "no"
                                             : "unknown");
}

TEST(DiagnosisPageTest, EnginesReportTheDocumentedEnds) {
  Names named;
  for (const DocRow& row : tableBehind(kDiagnosisPage, "Backends")) {
    for (const std::string& name : quotedIn(row[0])) {
      expectRow(row, engineTraits(name));
      named.insert(name);
    }
    if (row[0] == "any other") {
      expectRow(row, engineTraits("ucc"));
      expectRow(row, engineTraits("gloo", "acme::Backend"));
    }
  }
  Names known;
  for (const EngineTraits& engine : kEngines) known.emplace(engine.name);
  EXPECT_EQ(named, known);
}

// Translates the words of a row.
EndBound boundIn(const std::string& words) {
  if (words == "at that instant") return EndBound::kExact;
  return absl::StartsWith(words, "by then, when the program checked")
             ? EndBound::kSeen
             : EndBound::kReported;
}

TEST(DiagnosisPageTest, EndsAreTheDocumentedBounds) {
  std::map<std::string, std::set<EndBound>> bounds;
  for (const DocRow& row : tableBehind(kDiagnosisPage, "Late end times")) {
    for (const std::string& source : quotedIn(row[0])) {
      bounds[source].insert(boundIn(row[1]));
    }
  }
  for (int number = 1; v1::EndSource_IsValid(number); ++number) {
    AssembledOperation op;
    op.end_source = static_cast<v1::EndSource>(number);
    std::set<EndBound> of_source = {endBoundOf(op)};
    op.stall_ns_plus_1 = 1'000'000;  // it blocked the stream
    of_source.insert(endBoundOf(op));
    EXPECT_EQ(bounds[nameOf(op.end_source)], of_source) << number;
    bounds.erase(nameOf(op.end_source));
  }
  EXPECT_THAT(bounds, ::testing::IsEmpty());
}

}  // namespace
}  // namespace traced::testing
