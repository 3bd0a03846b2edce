#include "analysis/pictures/link_picture.h"

#include <algorithm>
#include <tuple>

#include "analysis/stream/operation_kinds.h"
#include "analysis/time_split/certified_times.h"

namespace traced {
namespace {

bool isAllToAll(v1::Operation op) {
  return op == v1::OPERATION_ALL_TO_ALL ||
         op == v1::OPERATION_ALL_TO_ALL_SINGLE;
}

double elementsOf(const v1::TensorRun& run) {
  double elements = 1;
  for (const std::int64_t size : run.shape()) {
    elements *= static_cast<double>(std::max<std::int64_t>(size, 0));
  }
  return elements;
}

// How what a call sends is divided among the `n` members; empty where that is
// not known.
std::vector<double> sharesOf(const v1::Call& call, std::uint32_t n) {
  std::vector<double> shares;
  if (call.op() == v1::OPERATION_ALL_TO_ALL) {
    for (const v1::TensorRun& run : call.input()) {
      const std::uint32_t count = std::max<std::uint32_t>(run.count(), 1);
      if (count > n - shares.size()) return {};
      shares.insert(shares.end(), count, elementsOf(run));
    }
  } else if (call.split_in().empty() && call.splits_cut() == 0) {
    shares.assign(n, 1);
  } else {
    for (const std::int64_t split : call.split_in()) {
      shares.push_back(static_cast<double>(std::max<std::int64_t>(split, 0)));
    }
  }
  if (shares.size() != n) return {};
  double total = 0;
  for (const double share : shares) total += share;
  for (double& share : shares) share = total > 0 ? share / total : 0;
  return shares;
}

}  // namespace

LinkPictureBuilder::LinkPictureBuilder(const std::vector<std::uint32_t>& ranks)
    : recorded_(ranks.begin(), ranks.end()) {
  const std::uint32_t highest = ranks.empty() ? 0 : ranks.back();
  while (highest / picture_.ranks_per_unit >= kMostUnits) {
    picture_.ranks_per_unit *= 2;
  }
}

void LinkPictureBuilder::begin(const StreamTable& table) {
  table_ = &table;
  by_call_.clear();
}

void LinkPictureBuilder::add(const AssembledOperation& op, const v1::Call& call,
                             const OperationSplit& split) {
  if (isPointToPoint(call.op())) return addMessage(op, call, split);
  if (!isAllToAll(call.op())) return;
  Calls& calls = by_call_[op.call];
  ++calls.count;
  if (!split.transfer || split.transfer->ns <= 0) return;
  ++calls.timed;
  calls.timed_ns += notBelowZero(split.transfer->ns);
}

// The sender tells how much, the receiver how long it took.
void LinkPictureBuilder::addMessage(const AssembledOperation& op,
                                    const v1::Call& call,
                                    const OperationSplit& split) {
  const auto peer = table_->peerOf(op, call);
  if (!peer) return;
  const std::uint32_t self = table_->header.rank();
  if (call.op() == v1::OPERATION_SEND) {
    linkOf(self, *peer).bytes += call.bytes_in();
    return;
  }
  Link& link = linkOf(*peer, self);
  if (!recorded_.contains(*peer)) link.bytes += call.bytes_out();
  if (!split.transfer || split.transfer->ns <= 0) return;
  link.messages.add({call.bytes_out(), notBelowZero(split.transfer->ns)});
}

void LinkPictureBuilder::end() {
  for (const auto& [call, calls] : by_call_) {
    addCalls(table_->definitions.calls()[call], calls);
  }
}

void LinkPictureBuilder::addCalls(const v1::Call& call, const Calls& calls) {
  const std::uint32_t group = table_->groupOf(call);
  const RankList* members = group == StreamDefinitions::kNone
                                ? nullptr
                                : &table_->definitions.groups()[group].members;
  if (!members || members->size() == 0 || members->size() > allowance_) {
    picture_.left_out += calls.count;
    return;
  }
  allowance_ -= members->size();
  const std::vector<double> shares = sharesOf(call, members->size());
  if (shares.empty()) {
    picture_.left_out += calls.count;
    return;
  }
  const std::uint32_t self = table_->header.rank();
  std::size_t i = 0;
  members->forEach([&](std::uint32_t rank) {
    const double share = shares[i++];
    if (rank == self) return;
    const auto bytes = static_cast<std::uint64_t>(
        std::min(share * static_cast<double>(call.bytes_in()), 1e18));
    Link& link = linkOf(self, rank);
    link.bytes += bytes * calls.count;
    if (bytes > 0) link.exchanges.add({bytes * calls.timed, calls.timed_ns});
  });
}

Link& LinkPictureBuilder::linkOf(std::uint32_t from, std::uint32_t to) {
  const std::uint32_t units = picture_.ranks_per_unit;
  // Who is beyond the last is no rank of this job.
  const std::pair key{std::min(from / units, kMostUnits - 1),
                      std::min(to / units, kMostUnits - 1)};
  Link& link = links_[key];
  std::tie(link.from, link.to) = key;
  return link;
}

void LinkPictureBuilder::fold() {
  picture_.ranks_per_unit *= 2;
  absl::flat_hash_map<std::pair<std::uint32_t, std::uint32_t>, Link> fewer;
  for (const auto& [key, link] : links_) {
    const std::pair folded{key.first / 2, key.second / 2};
    Link& sum = fewer[folded];
    std::tie(sum.from, sum.to) = folded;
    sum.bytes += link.bytes;
    sum.messages.add(link.messages);
    sum.exchanges.add(link.exchanges);
  }
  links_ = std::move(fewer);
}

LinkPicture LinkPictureBuilder::finish() && {
  while (links_.size() > kMostLinks) fold();
  for (const auto& [key, link] : links_) picture_.links.push_back(link);
  std::sort(picture_.links.begin(), picture_.links.end(),
            [](const Link& a, const Link& b) {
              return std::tie(a.from, a.to) < std::tie(b.from, b.to);
            });
  return std::move(picture_);
}

}  // namespace traced
