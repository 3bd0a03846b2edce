#include "analysis/pictures/link_picture.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "analysis/stream/operation_kinds.h"
#include "analysis/time_split/certified_times.h"
#include "trace_io/message_size.h"

namespace traced {

LinkUnits::LinkUnits(const std::vector<std::uint32_t>& ranks,
                     const std::vector<RankNode>& nodes)
    : highest_(ranks.empty() ? 0 : ranks.back()) {
  absl::flat_hash_map<std::uint32_t, std::uint32_t> numbers;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const auto [place, is_new] = numbers.try_emplace(
        nodes[i].node, static_cast<std::uint32_t>(nodes_.size()));
    if (is_new) nodes_.push_back({nodes[i].name, {}});
    nodes_[place->second].ranks.push_back(ranks[i]);
    node_by_rank_[ranks[i]] = place->second;
  }
  if (nodes_.size() < 2 || nodes_.size() == ranks.size()) nodes_.clear();
  while (count() > kMax) fold();
}

std::uint32_t LinkUnits::count() const {
  return by_nodes_ ? static_cast<std::uint32_t>(nodes_.size())
                   : highest_ / ranks_per_unit_ + 1;
}

std::uint32_t LinkUnits::of(std::uint32_t rank) const {
  if (!by_nodes_) return std::min(rank / ranks_per_unit_, kMax - 1);
  const auto known = node_by_rank_.find(rank);
  return known == node_by_rank_.end()
             ? static_cast<std::uint32_t>(nodes_.size())
             : known->second;
}

void LinkUnits::fold() {
  if (by_nodes_) return foldNodes();
  if (!nodes_.empty() && ranks_per_unit_ == 1) {
    by_nodes_ = true;
    folded_ = [this](std::uint32_t rank) { return of(rank); };
    return;
  }
  ranks_per_unit_ *= 2;
  folded_ = [](std::uint32_t before) { return before / 2; };
}

void LinkUnits::foldNodes() {
  const auto before = static_cast<std::uint32_t>(nodes_.size());
  std::vector<LinkPicture::Node> fewer;
  for (std::uint32_t i = 0; i < before; ++i) {
    if (i % 2 == 0) {
      fewer.push_back(std::move(nodes_[i]));
      continue;
    }
    LinkPicture::Node& sum = fewer.back();
    sum.more += 1 + nodes_[i].more;
    const auto middle = static_cast<std::ptrdiff_t>(sum.ranks.size());
    sum.ranks.insert(sum.ranks.end(), nodes_[i].ranks.begin(),
                     nodes_[i].ranks.end());
    std::inplace_merge(sum.ranks.begin(), sum.ranks.begin() + middle,
                       sum.ranks.end());
  }
  nodes_ = std::move(fewer);
  for (auto& [rank, node] : node_by_rank_) node /= 2;
  // The index after the last represents ranks on no node.
  const auto after = static_cast<std::uint32_t>(nodes_.size());
  folded_ = [before, after](std::uint32_t node) {
    return node == before ? after : node / 2;
  };
}

std::vector<LinkPicture::Node> LinkUnits::nodes() const {
  return by_nodes_ ? nodes_ : std::vector<LinkPicture::Node>();
}

namespace {

bool isAllToAll(v1::Operation op) {
  return op == v1::OPERATION_ALL_TO_ALL ||
         op == v1::OPERATION_ALL_TO_ALL_SINGLE;
}

}  // namespace

LinkPictureBuilder::LinkPictureBuilder(const std::vector<std::uint32_t>& ranks,
                                       const std::vector<RankNode>& nodes)
    : units_(ranks, nodes), recorded_(ranks.begin(), ranks.end()) {}

void LinkPictureBuilder::begin(const StreamTable& table) {
  table_ = &table;
  by_call_.clear();
  allowance_ = kMaxMembers / std::max<std::size_t>(recorded_.size(), 1);
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

// The sender knows the size, the receiver the transfer time.
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
  const std::vector<std::uint64_t> shares = bytesToEach(call, members->size());
  if (shares.empty()) {
    picture_.left_out += calls.count;
    return;
  }
  const std::uint32_t self = table_->header.rank();
  std::size_t i = 0;
  members->forEach([&](std::uint32_t rank) {
    const std::uint64_t bytes = shares[i++];
    if (rank == self) return;
    Link& link = linkOf(self, rank);
    link.bytes += bytes * calls.count;
    if (bytes > 0) link.exchanges.add({bytes * calls.timed, calls.timed_ns});
  });
}

void LinkPictureBuilder::add(const LinkPictureBuilder& other) {
  for (const auto& [key, link] : other.links_) addLink(key, link);
  picture_.left_out += other.picture_.left_out;
}

Link& LinkPictureBuilder::linkOf(std::uint32_t from, std::uint32_t to) {
  const std::pair key{units_.of(from), units_.of(to)};
  Link& link = links_[key];
  std::tie(link.from, link.to) = key;
  return link;
}

void LinkPictureBuilder::fold() {
  units_.fold();
  const auto links = std::exchange(links_, {});
  for (const auto& [key, link] : links) {
    addLink({units_.folded(key.first), units_.folded(key.second)}, link);
  }
}

void LinkPictureBuilder::addLink(const Pair& pair, const Link& link) {
  Link& sum = links_[pair];
  std::tie(sum.from, sum.to) = pair;
  sum.bytes += link.bytes;
  sum.messages.add(link.messages);
  sum.exchanges.add(link.exchanges);
}

LinkPicture LinkPictureBuilder::finish() && {
  while (links_.size() > kMaxLinks) fold();
  picture_.ranks_per_unit = units_.ranksPerUnit();
  picture_.nodes = units_.nodes();
  for (const auto& [key, link] : links_) picture_.links.push_back(link);
  std::sort(picture_.links.begin(), picture_.links.end(),
            [](const Link& a, const Link& b) {
              return std::tie(a.from, a.to) < std::tie(b.from, b.to);
            });
  return std::move(picture_);
}

}  // namespace traced
