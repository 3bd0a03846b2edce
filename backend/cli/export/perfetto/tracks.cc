#include "cli/export/perfetto/tracks.h"

#include "analysis/timeline/lanes.h"
#include "cli/common/text.h"
#include "cli/export/perfetto/fields.h"

namespace traced::perfetto {
namespace {

MessageWriter childOf(std::uint64_t process, std::int32_t place,
                      const std::string& name) {
  MessageWriter described;
  described.add(track::kParent, process);
  described.add(track::kName, printable(name));
  described.addSigned(track::kRankAmongSiblings, place);
  return described;
}

}  // namespace

void Tracks::orderProcesses(Sequence& to) {
  MessageWriter described;
  described.add(track::kUuid, track::kRoot);
  described.add(track::kProcessOrdering, track::kProcessesByRank);
  to.write(packet::kTrackDescriptor, described);
}

std::uint64_t Tracks::addProcess(Sequence& to, std::int32_t pid,
                                 const std::string& name,
                                 const std::string& label) {
  MessageWriter process, described;
  process.addSigned(process::kPid, pid);
  process.addSigned(process::kSortIndex, pid);
  process.add(process::kName, printable(name));
  if (!label.empty()) process.add(process::kLabel, printable(label));
  described.add(track::kUuid, next_);
  described.add(track::kProcess, process);
  described.add(track::kChildOrdering, track::kExplicitOrder);
  described.addSigned(track::kRankAmongSiblings, pid);
  to.write(packet::kTrackDescriptor, described);
  return next_++;
}

LanedTrack Tracks::addTrack(Sequence& to, std::uint64_t process,
                            std::int32_t place, const std::string& name,
                            std::uint32_t lanes,
                            const std::string& description) {
  LanedTrack laned;
  const std::uint64_t key = next_;
  for (std::uint32_t lane = 0; lane < lanes; ++lane) {
    MessageWriter described = childOf(process, place, name);
    described.add(track::kUuid, next_);
    described.add(track::kMergeBehavior, track::kMergeByKey);
    described.add(track::kMergeKey, key);
    if (!description.empty()) {
      described.add(track::kDescription, printable(description));
    }
    to.write(packet::kTrackDescriptor, described);
    laned.uuids_.push_back(next_++);
  }
  return laned;
}

void Tracks::writeTrack(Sequence& to, std::uint64_t process, std::int32_t place,
                        const std::string& name,
                        const std::vector<NamedSlice>& slices) {
  if (slices.empty()) return;
  const LanedTrack track = addTrack(to, process, place, name, lanesOf(slices));
  for (const NamedSlice& slice : slices) {
    to.writeSlice(track.lane(slice.lane), slice.name, slice.begin_ns,
                  slice.end_ns);
  }
}

std::uint64_t Tracks::addCounter(Sequence& to, std::uint64_t process,
                                 std::int32_t place, const std::string& name,
                                 std::uint64_t unit) {
  MessageWriter counter, described = childOf(process, place, name);
  counter.add(counter::kUnit, unit);
  described.add(track::kUuid, next_);
  described.add(track::kCounter, counter);
  to.write(packet::kTrackDescriptor, described);
  return next_++;
}

}  // namespace traced::perfetto
