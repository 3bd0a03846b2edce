#include <algorithm>
#include <chrono>
#include <iostream>
#include <map>
#include <optional>
#include <random>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "analysis/merge/pending_file.h"
#include "analysis/stream/rank_list.h"
#include "cli/common/complain.h"
#include "cli/common/json.h"
#include "cli/common/named_filters.h"
#include "cli/common/subcommand.h"
#include "cli/ctl/answers.h"
#include "cli/inputs/inputs.h"
#include "phrasing/text.h"
#include "ring_io/control/control_request.h"

namespace traced {
namespace {

using std::chrono::steady_clock;

// Seconds to wait for answers by default. Ranks poll twice a second.
constexpr double kUsualWaitS = 5;
constexpr std::chrono::milliseconds kPollInterval{50};

// Returns a random, nonzero request id below 2^53, the limit of exact integers
// in JSON readers.
std::uint64_t newId() {
  std::random_device random;
  const std::uint64_t id = (std::uint64_t{random()} << 21) ^ random();
  return (id & ((std::uint64_t{1} << 53) - 1)) | 1;
}

// Parses "watch=60s,stacks=off".
NamedValues namedValues(const std::string& text) {
  NamedValues values;
  for (const absl::string_view one : absl::StrSplit(text, ',')) {
    const std::pair<std::string, std::string> value =
        absl::StrSplit(one, absl::MaxSplits('=', 1));
    values.push_back(value);
  }
  return values;
}

std::vector<std::pair<std::uint32_t, std::uint32_t>> runsOf(
    const absl::flat_hash_set<std::uint32_t>& ranks) {
  std::vector<std::uint32_t> sorted(ranks.begin(), ranks.end());
  std::sort(sorted.begin(), sorted.end());
  std::vector<std::pair<std::uint32_t, std::uint32_t>> runs;
  for (const std::uint32_t rank : sorted) {
    if (runs.empty() || runs.back().second + 1 != rank) {
      runs.emplace_back(rank, rank);
    }
    runs.back().second = rank;
  }
  return runs;
}

// Information that is printed with the answers.
struct Context {
  std::uint64_t request = 0;
  // The requested changes.
  std::string changes;
  std::vector<std::uint32_t> ended;
  std::vector<std::string> warnings;
};

class Ctl : public Subcommand {
 public:
  void declare(CLI::App& app) override {
    inputs_.declare(app, /*required=*/true);
    inputs_.declareAttempt(app);
    inputs_.declareJson(app);
    app.add_option("--set", set_,
                   "NAME=VALUE,...: enabled=0 or 1, watch=60s, stacks=off, "
                   "site or full")
        ->required();
    app.add_option("--ranks", ranks_, "Only these global ranks, such as 0-3,8");
    app.add_option("--wait", wait_s_, "Seconds to wait for the ranks' answers")
        ->check(CLI::Range(0.0, 3600.0))
        ->capture_default_str();
    app.footer(
        "Example: tracectl ctl traces/run42 --set watch=60s,stacks=full");
  }

  ExitCode run() override {
    ControlRequest request;
    request.id = newId();
    request.settings = namedValues(set_);
    const auto changes = parseChanges(request.settings);
    if (!changes) {
      return refuse(absl::StrCat("--set: ", changes.error().message));
    }
    std::optional<absl::flat_hash_set<std::uint32_t>> wanted;
    if (!ranks_.empty()) {
      auto parsed = parseRanks(ranks_);
      if (!parsed) {
        return refuse(absl::StrCat("--ranks: ", parsed.error().message));
      }
      wanted = *std::move(parsed);
      request.ranks = runsOf(*wanted);
    }
    Result<TraceSet> set = inputs_.open();
    if (!set) return ExitCode::kNothingReadable;
    auto asked = ranksToAsk(*set, wanted);
    if (!asked) return refuse(asked.error().message);
    Context context{request.id, textOf(*changes), asked->ended,
                    set->input_warnings};
    context.warnings.insert(context.warnings.end(),
                            set->selection_warnings.begin(),
                            set->selection_warnings.end());
    Answers answers(std::move(asked->ranks), request.id);
    if (!answers.ranks().empty() && !ask(asked->files, textOf(request))) {
      return ExitCode::kInternal;
    }
    await(answers);
    return report(answers.ranks(), context);
  }

 private:
  static bool ask(const std::set<std::string>& files, const std::string& text) {
    for (const std::string& path : files) {
      PendingFile file(path, Existing::kReplaced);
      file.stream() << text;
      if (!finish(file)) return false;
    }
    return true;
  }

  void await(Answers& answers) const {
    const auto end =
        steady_clock::now() + std::chrono::duration<double>(wait_s_);
    while (!answers.poll() && steady_clock::now() < end) {
      std::this_thread::sleep_for(kPollInterval);
    }
  }

  // Prints the answers. Returns kFindings unless every rank complied.
  ExitCode report(const std::vector<AskedRank>& ranks,
                  const Context& context) const {
    if (inputs_.json()) {
      writeJson(std::cout, json(ranks, context));
      std::cout << "\n";
    } else {
      std::cout << text(ranks, context);
    }
    std::cout.flush();
    const ExitCode code = inputs_.conclude(context.warnings);
    const bool all =
        std::all_of(ranks.begin(), ranks.end(), [](const AskedRank& rank) {
          return rank.answer && rank.answer->refused.empty();
        });
    return all && !ranks.empty() ? code : ExitCode::kFindings;
  }

  // Returns one line that counts the successful ranks, and one line per other
  // result.
  std::string text(const std::vector<AskedRank>& ranks,
                   const Context& context) const {
    std::size_t done = 0;
    std::map<std::string, std::vector<std::uint32_t>> others;
    for (const AskedRank& rank : ranks) {
      if (rank.answer && rank.answer->refused.empty()) {
        ++done;
      } else if (rank.answer) {
        others[": " + rank.answer->text()].push_back(rank.rank);
      } else {
        others[absl::StrCat(" did not answer within ", threeDigits(wait_s_),
                            " s")]
            .push_back(rank.rank);
      }
    }
    if (!context.ended.empty()) others[" ended before"] = context.ended;
    std::string text = absl::StrCat(done, " of ", countOf(ranks.size(), "rank"),
                                    ": ", printable(context.changes), "\n");
    for (const auto& [words, of] : others) {
      absl::StrAppend(&text, ranksText(of), printable(words), "\n");
    }
    return text;
  }

  static Json json(const std::vector<AskedRank>& ranks,
                   const Context& context) {
    Json answers = Json::array();
    for (const AskedRank& rank : ranks) {
      Json answer = {{"rank", rank.rank},
                     {"answered", rank.answer.has_value()}};
      if (rank.answer) {
        answer["in_force"] = rank.answer->in_force;
        if (!rank.answer->refused.empty()) {
          answer["refused"] = rank.answer->refused;
        }
      }
      answers.push_back(std::move(answer));
    }
    return {{"schema", kJsonSchema},
            {"warnings", context.warnings},
            {"request", context.request},
            {"ranks", std::move(answers)},
            {"ended", context.ended}};
  }

  Inputs inputs_;
  std::string set_;
  std::string ranks_;
  double wait_s_ = kUsualWaitS;
};

}  // namespace

std::unique_ptr<Subcommand> makeCtl() { return std::make_unique<Ctl>(); }

}  // namespace traced
