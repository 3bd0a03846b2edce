#include "analysis/whatif/network_questions.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "absl/container/btree_map.h"
#include "analysis/stream/operation_kinds.h"
#include "analysis/whatif/changes.h"

namespace traced::whatif {
namespace {

using Nodes = std::pair<std::uint32_t, std::uint32_t>;

// Transfers with one property: their total time, and which kinds they are.
struct Transfers {
  double ns = 0;
  std::vector<bool> kinds;
};

// Both ends of a message are one transfer.
std::optional<int> operationOf(const Kind& kind) {
  return kind.op == v1::OPERATION_RECV ? v1::OPERATION_SEND : kind.op;
}

std::optional<Nodes> nodesOf(const Kind& kind) {
  if (kind.from_node == kind.to_node) return std::nullopt;
  return std::minmax(kind.from_node, kind.to_node);
}

class NetworkQuestions {
 public:
  NetworkQuestions(const ReplayJob& job, const WhatIfOptions& options)
      : job_(job), options_(options) {}

  std::vector<Asked> all() && {
    if (job_.kinds.empty()) return {};
    add(Question::kNetwork, {});
    addBy(Question::kNetworkOfOperation, operationOf,
          [](int op, Answer& answer) {
            answer.op = static_cast<v1::Operation>(op);
          });
    addBy(
        Question::kNetworkOfGroups,
        [this](const Kind& kind) -> std::optional<std::string> {
          if (kind.group >= job_.groups.size()) return std::nullopt;
          return job_.groups[kind.group];
        },
        [](const std::string& name, Answer& answer) { answer.name = name; });
    addBy(Question::kNetworkOfNodes, nodesOf,
          [this](const Nodes& nodes, Answer& answer) {
            answer.name = nameOfNode(nodes.first);
            answer.other_name = nameOfNode(nodes.second);
          });
    return std::move(asked_);
  }

 private:
  // Returns the total transfer time of each kind.
  std::vector<double> transferOfKind() const {
    std::vector<double> total_ns(job_.kinds.size());
    for (const Meeting& meeting : job_.meetings) {
      if (meeting.part == Meeting::Part::kWhole) {
        total_ns[meeting.kind] += meeting.transfer_ns;
      }
    }
    return total_ns;
  }

  // `kinds`: empty for all.
  Answer& add(Question question, std::vector<bool> kinds) {
    Asked& asked = asked_.emplace_back();
    asked.answer.question = question;
    asked.only_shortens = options_.network >= 1;
    asked.change = [&job = job_, &options = options_,
                    kinds = std::move(kinds)] {
      return changeOfTransfers(job, 1 / options.network, [&](const Kind& kind) {
        return kinds.empty() ||
               kinds[static_cast<std::size_t>(&kind - job.kinds.data())];
      });
    };
    return asked.answer;
  }

  // Adds a question for each value of a property, most transfer time first.
  template <typename Property, typename Describe>
  void addBy(Question question, Property&& property, Describe&& describe) {
    using Value = std::decay_t<decltype(*property(job_.kinds[0]))>;
    const std::vector<double> total_ns = transferOfKind();
    absl::btree_map<Value, Transfers> by_value;
    for (std::size_t i = 0; i < job_.kinds.size(); ++i) {
      const auto value = property(job_.kinds[i]);
      if (!value) continue;
      Transfers& transfers = by_value[*value];
      transfers.kinds.resize(job_.kinds.size());
      transfers.kinds[i] = true;
      transfers.ns += total_ns[i];
    }
    std::vector<std::pair<double, Value>> order;
    for (const auto& [value, transfers] : by_value) {
      if (transfers.ns > 0) order.push_back({-transfers.ns, value});
    }
    // One value is all transfers.
    if (order.size() < 2) return;
    std::sort(order.begin(), order.end());
    if (order.size() > options_.max_rows) order.resize(options_.max_rows);
    for (const auto& [ns, value] : order) {
      describe(value, add(question, by_value[value].kinds));
    }
  }

  std::string nameOfNode(std::uint32_t node) const {
    return node < job_.nodes.size() ? job_.nodes[node] : "";
  }

  const ReplayJob& job_;
  const WhatIfOptions& options_;
  std::vector<Asked> asked_;
};

}  // namespace

std::vector<Asked> networkQuestions(const ReplayJob& job,
                                    const WhatIfOptions& options) {
  return NetworkQuestions(job, options).all();
}

}  // namespace traced::whatif
