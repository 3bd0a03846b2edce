#include "analysis/definitions.h"

#include <optional>
#include <utility>

namespace traced {
namespace {

using IndexById = absl::flat_hash_map<std::uint32_t, std::uint32_t>;

std::uint32_t find(const IndexById& index, std::uint32_t id) {
  const auto found = index.find(id);
  return found == index.end() ? StreamDefinitions::kNone : found->second;
}

// Where `id` is in `list`, after appending it when it is new. An id never
// changes its meaning, so the first definition stays.
template <typename T, typename Make>
std::uint32_t intern(std::vector<T>& list, IndexById& index, std::uint32_t id,
                     Make&& make) {
  const auto next = static_cast<std::uint32_t>(list.size());
  const auto [place, is_new] = index.try_emplace(id, next);
  if (is_new) list.push_back(make());
  return place->second;
}

}  // namespace

void StreamDefinitions::add(v1::Payload& payload) {
  calls_in_chunk_.clear();
  for (const v1::Group& group : payload.group()) addGroup(group);
  for (v1::Call& call : *payload.mutable_call()) {
    const std::uint32_t id = call.id();
    if (id == 0) continue;
    calls_in_chunk_[id] =
        intern(calls_, call_by_id_, id, [&] { return std::move(call); });
  }
  for (const v1::Buffers& buffers : payload.buffers()) addBuffers(buffers);
  for (v1::Thread& thread : *payload.mutable_thread()) {
    const std::uint32_t id = thread.id();
    intern(threads_, thread_by_id_, id, [&] { return std::move(thread); });
  }
  for (v1::Text& text : *payload.mutable_text()) {
    intern(texts_, text_by_id_, text.id(),
           [&] { return std::move(*text.mutable_text()); });
  }
}

void StreamDefinitions::addGroup(const v1::Group& group) {
  const std::uint32_t known = find(group_by_id_, group.id());
  if (known != kNone) {
    groups_[known].name = group.name();
    groups_[known].desc = group.desc();
    return;
  }
  std::optional<RankList> members = RankList::fromGroup(group);
  if (group.id() == 0 || !members) {
    refused_.insert(group.id());
    return;
  }
  intern(groups_, group_by_id_, group.id(), [&] {
    return GroupDefinition{group.id(),         group.name(),
                           group.desc(),       group.backend(),
                           group.leg(),        *std::move(members),
                           group.group_rank(), group.nth(),
                           /*by_name=*/false};
  });
}

void StreamDefinitions::identifyByName() {
  for (GroupDefinition& group : groups_) group.by_name = true;
}

void StreamDefinitions::addBuffers(const v1::Buffers& buffers) {
  const auto [place, is_new] = buffers_by_id_.try_emplace(
      buffers.id(),
      BufferSpan{ranges_.size(), static_cast<std::size_t>(buffers.range_size()),
                 buffers.cut()});
  if (!is_new) return;
  ranges_.insert(ranges_.end(), buffers.range().begin(), buffers.range().end());
}

std::uint32_t StreamDefinitions::callInChunk(std::uint32_t id) const {
  return find(calls_in_chunk_, id);
}

std::uint32_t StreamDefinitions::group(std::uint32_t id) const {
  return find(group_by_id_, id);
}

const v1::Thread* StreamDefinitions::thread(std::uint32_t id) const {
  const std::uint32_t index = find(thread_by_id_, id);
  return index == kNone ? nullptr : &threads_[index];
}

const std::string* StreamDefinitions::text(std::uint32_t id) const {
  const std::uint32_t index = find(text_by_id_, id);
  return index == kNone ? nullptr : &texts_[index];
}

std::optional<StreamDefinitions::BufferList> StreamDefinitions::buffers(
    std::uint32_t id) const {
  const auto found = buffers_by_id_.find(id);
  if (found == buffers_by_id_.end()) return std::nullopt;
  const BufferSpan& span = found->second;
  return BufferList{absl::MakeSpan(ranges_).subspan(span.begin, span.count),
                    span.cut};
}

}  // namespace traced
