#include "cli/export/perfetto/sequence.h"

#include "analysis/timeline/slices.h"
#include "cli/export/perfetto/messages.h"
#include "phrasing/text.h"

namespace traced::perfetto {

void Sequence::begin(absl::Span<const std::uint64_t> counter_tracks) {
  names_.field = interned::kEventNames;
  annotation_names_.field = interned::kAnnotationNames;
  annotation_texts_.field = interned::kAnnotationStrings;
  MessageWriter event_defaults, all_defaults;
  for (const std::uint64_t track : counter_tracks) {
    event_defaults.add(event::kCounterTracks, track);
  }
  all_defaults.add(defaults::kTrackEvent, event_defaults);
  packet_.clear();
  packet_.add(packet::kSequenceFlags, packet::kStateCleared);
  packet_.add(packet::kDefaults, all_defaults);
  finishPacket();
}

std::uint64_t Sequence::name(const std::string& text) {
  return idOf(names_, text);
}

std::uint64_t Sequence::idOf(Texts& texts, std::string_view text) {
  const auto found =
      texts.ids.find(absl::string_view(text.data(), text.size()));
  if (found != texts.ids.end()) return found->second;
  const std::uint64_t id = texts.ids.size() + 1;
  texts.ids.emplace(text, id);
  part_.clear();
  part_.add(interned::kId, id);
  // Escapes control characters: text in a trace is not trusted.
  part_.add(interned::kText, printable(text));
  interned_.add(texts.field, part_);
  return id;
}

void Sequence::beginAnnotation(const char* name) {
  const std::uint64_t id = idOf(annotation_names_, name);
  part_.clear();
  part_.add(annotation::kNameId, id);
}

void Sequence::annotate(const char* name, std::uint64_t value) {
  beginAnnotation(name);
  part_.add(annotation::kUnsigned, value);
  annotations_.add(event::kAnnotation, part_);
}

void Sequence::annotateSigned(const char* name, std::int64_t value) {
  beginAnnotation(name);
  part_.addSigned(annotation::kSigned, value);
  annotations_.add(event::kAnnotation, part_);
}

void Sequence::annotate(const char* name, const std::string& text) {
  const std::uint64_t text_id = idOf(annotation_texts_, text);
  beginAnnotation(name);
  part_.add(annotation::kStringId, text_id);
  annotations_.add(event::kAnnotation, part_);
}

void Sequence::write(const Event& fields) {
  event_.clear();
  event_.add(event::kType, fields.type);
  event_.add(event::kTrack, fields.track);
  if (fields.name > 0) event_.add(event::kNameId, fields.name);
  if (fields.type == event::kCounter) {
    event_.addSigned(event::kCounterValue, fields.counters[0].value_or(0));
  } else {
    for (const auto& value : fields.counters) {
      if (value) event_.addSigned(event::kCounterValues, *value);
    }
  }
  if (fields.flow) event_.addFixed64(event::kFlow, *fields.flow);
  if (fields.end_of_flow)
    event_.addFixed64(event::kEndOfFlow, *fields.end_of_flow);
  if (fields.correlation) event_.add(event::kCorrelation, *fields.correlation);
  event_.append(annotations_);
  annotations_.clear();
  packet_.clear();
  packet_.add(packet::kTimestamp, static_cast<std::uint64_t>(fields.at_ns));
  packet_.add(packet::kSequenceFlags, packet::kNeedsState);
  if (!interned_.bytes().empty()) {
    packet_.add(packet::kInternedData, interned_);
    interned_.clear();
  }
  packet_.add(packet::kTrackEvent, event_);
  finishPacket();
}

void Sequence::writeSlice(std::uint64_t track, const std::string& name,
                          std::int64_t begin_ns, std::int64_t end_ns) {
  write({.at_ns = begin_ns,
         .type = event::kBegin,
         .track = track,
         .name = idOf(names_, name)});
  write({.at_ns = end_ns, .type = event::kEnd, .track = track});
}

void Sequence::write(std::uint32_t field, const MessageWriter& message) {
  packet_.clear();
  packet_.add(field, message);
  finishPacket();
}

void Sequence::finishPacket() {
  packet_.add(packet::kSequence, id_);
  if (machine_ > 0) packet_.add(packet::kMachine, machine_);
  framed_.clear();
  framed_.add(trace::kPacket, packet_);
  out_.write(framed_.bytes().data(),
             static_cast<std::streamsize>(framed_.bytes().size()));
}

namespace {

MessageWriter childOf(std::uint64_t process, std::int32_t order,
                      const std::string& name) {
  MessageWriter described;
  described.add(track::kParent, process);
  described.add(track::kName, printable(name));
  described.addSigned(track::kRankAmongSiblings, order);
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
                            std::int32_t order, const std::string& name,
                            std::uint32_t lanes,
                            const std::string& description) {
  LanedTrack laned;
  const std::uint64_t key = next_;
  for (std::uint32_t lane = 0; lane < lanes; ++lane) {
    MessageWriter described = childOf(process, order, name);
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

void Tracks::writeTrack(Sequence& to, std::uint64_t process, std::int32_t order,
                        const std::string& name,
                        const std::vector<NamedSlice>& slices) {
  if (slices.empty()) return;
  const LanedTrack track = addTrack(to, process, order, name, lanesOf(slices));
  for (const NamedSlice& slice : slices) {
    if (slice.time) {
      for (const TimeField& field : kTimeFields) {
        to.annotate(field.name, *slice.time.*field.value);
      }
    }
    to.writeSlice(track.lane(slice.lane), slice.name, slice.begin_ns,
                  slice.end_ns);
  }
}

std::uint64_t Tracks::addCounter(Sequence& to, std::uint64_t process,
                                 std::int32_t order, const std::string& name,
                                 std::uint64_t unit) {
  MessageWriter counter, described = childOf(process, order, name);
  counter.add(counter::kUnit, unit);
  described.add(track::kUuid, next_);
  described.add(track::kCounter, counter);
  to.write(packet::kTrackDescriptor, described);
  return next_++;
}

}  // namespace traced::perfetto
