#include <algorithm>
#include <map>
#include <string>

#include "absl/strings/str_cat.h"
#include "analysis/stream/clock_models.h"
#include "analysis/timeline/job_timeline.h"
#include "cli/export/otf2/rank_events.h"

namespace traced::otf2 {
namespace {

// Limits the members of all groups together. A group is one definition and must
// fit into a chunk. Only a crafted file can claim more.
constexpr std::uint64_t kMaxMembers = 1u << 20;

class World {
 public:
  World(Writing& to, const JobView& view,
        const std::vector<std::vector<Location>>& locations)
      : to_(to),
        definitions_(to.archive.definitions()),
        view_(view),
        locations_(locations) {}

  std::uint64_t define() {
    defineHosts();
    defineRanks();
    chooseGroups();
    defineMembers();
    defineGroups();
    return without_members_;
  }

 private:
  OTF2_StringRef text(std::string_view text) { return to_.names.text(text); }
  void check(OTF2_ErrorCode code) { to_.archive.check(code); }

  void defineHosts() {
    const v1::Header& first =
        view_.set().streams[view_.set().selected[0]].header;
    check(OTF2_GlobalDefWriter_WriteSystemTreeNode(
        definitions_, kJob, text(first.job()), text("job"),
        OTF2_UNDEFINED_SYSTEM_TREE_NODE));
    for (const LoadedRun::Stream& stream : view_.run().streams) {
      const v1::Header& header = stream.table.header;
      const auto [place, is_new] = hosts_.try_emplace(
          clockNameOf(header),
          static_cast<std::uint32_t>(kJob + 1 + hosts_.size()));
      if (!is_new) continue;
      check(OTF2_GlobalDefWriter_WriteSystemTreeNode(
          definitions_, place->second, text(header.host()), text("node"),
          kJob));
      check(OTF2_GlobalDefWriter_WriteSystemTreeNodeDomain(
          definitions_, place->second, OTF2_SYSTEM_TREE_DOMAIN_SHARED_MEMORY));
    }
    for (const JobTimeline::ClockError& clock : clockErrorsOf(view_)) {
      std::uint64_t most = 0;
      for (const auto& [at_ns, within_ns] : clock.within_ns) {
        most = std::max(most, within_ns);
      }
      OTF2_AttributeValue value;
      value.uint64 = most;
      check(OTF2_GlobalDefWriter_WriteSystemTreeNodeProperty(
          definitions_, hosts_.at(clock.clock),
          text("clock certified within ns"), OTF2_TYPE_UINT64, value));
    }
  }

  void defineRanks() {
    for (std::size_t i = 0; i < locations_.size(); ++i) {
      const v1::Header& header = view_.run().streams[i].table.header;
      const auto process = static_cast<std::uint32_t>(i);
      defineProcess(process, absl::StrCat("rank ", header.rank()),
                    hosts_.at(clockNameOf(header)), locations_[i]);
      OTF2_AttributeValue value;
      value.int64 = header.pid();
      check(OTF2_GlobalDefWriter_WriteLocationGroupProperty(
          definitions_, process, text("pid"), OTF2_TYPE_INT64, value));
    }
  }

  void defineProcess(OTF2_LocationGroupRef process, const std::string& name,
                     OTF2_SystemTreeNodeRef host,
                     const std::vector<Location>& locations) {
    check(OTF2_GlobalDefWriter_WriteLocationGroup(
        definitions_, process, text(name), OTF2_LOCATION_GROUP_TYPE_PROCESS,
        host, OTF2_UNDEFINED_LOCATION_GROUP));
    for (const Location& location : locations) {
      check(OTF2_GlobalDefWriter_WriteLocation(
          definitions_, location.number, text(location.name),
          OTF2_LOCATION_TYPE_CPU_THREAD, location.events, process));
    }
  }

  // Chooses the groups that events name, and decides which of them list their
  // members.
  void chooseGroups() {
    groups_.resize(to_.communicators.size());
    for (const auto& [index, communicator] : to_.communicators) {
      groups_[communicator].first = index;
    }
    std::uint64_t members = 0;
    for (auto& [index, lists_members] : groups_) {
      const std::uint32_t size = membersOf(index).size();
      lists_members = members + size <= kMaxMembers;
      if (lists_members) members += size;
      without_members_ += !lists_members;
    }
  }

  const RankList& membersOf(std::uint32_t group) const {
    return view_.run().groups.groups()[group].members;
  }

  // Defines the members in the order of their ranks. All ranks without a trace
  // share one location.
  void defineMembers() {
    for (std::size_t i = 0; i < locations_.size(); ++i) {
      const std::uint32_t rank = view_.run().streams[i].table.header.rank();
      members_[rank] = locations_[i].front().number;
    }
    constexpr std::uint64_t kNotHere = ~std::uint64_t{0};
    bool all_here = true;
    for (const auto& [index, lists_members] : groups_) {
      if (!lists_members) continue;
      membersOf(index).forEach([&](std::uint32_t rank) {
        all_here &= !members_.try_emplace(rank, kNotHere).second;
      });
    }
    const std::uint64_t absent = all_here ? 0 : defineAbsent();
    std::vector<std::uint64_t> listed;
    for (auto& [rank, location] : members_) {
      listed.push_back(location == kNotHere ? absent : location);
      location = listed.size() - 1;
    }
    defineGroup(kMembers, "ranks", OTF2_GROUP_TYPE_COMM_LOCATIONS, listed);
  }

  std::uint64_t defineAbsent() {
    Location absent{to_.locations++, "ranks that are not here", 0};
    LocationWriter writer(to_.archive, to_.facts, to_.range, absent.number);
    writer.finish();
    defineProcess(static_cast<std::uint32_t>(locations_.size()), absent.name,
                  kJob, {absent});
    return absent.number;
  }

  void defineGroups() {
    for (OTF2_CommRef communicator = 0; communicator < groups_.size();
         ++communicator) {
      const auto& [index, lists_members] = groups_[communicator];
      const JobGroup& group = view_.run().groups.groups()[index];
      const OTF2_GroupRef listed = kMembers + 1 + communicator;
      std::vector<std::uint64_t> member_indices;
      if (lists_members) {
        group.members.forEach([&](std::uint32_t rank) {
          member_indices.push_back(members_.at(rank));
        });
      }
      defineGroup(listed,
                  absl::StrCat(group.backend, ", ranks ", group.members.text()),
                  OTF2_GROUP_TYPE_COMM_GROUP, member_indices);
      check(OTF2_GlobalDefWriter_WriteComm(
          definitions_, communicator, text(group.label), listed,
          OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE));
    }
  }

  void defineGroup(OTF2_GroupRef number, const std::string& name,
                   OTF2_GroupType type,
                   const std::vector<std::uint64_t>& members) {
    check(OTF2_GlobalDefWriter_WriteGroup(
        definitions_, number, text(name), type, OTF2_PARADIGM_MPI,
        OTF2_GROUP_FLAG_NONE, static_cast<std::uint32_t>(members.size()),
        members.data()));
  }

  static constexpr OTF2_SystemTreeNodeRef kJob = 0;
  static constexpr OTF2_GroupRef kMembers = 0;

  Writing& to_;
  OTF2_GlobalDefWriter* const definitions_;
  const JobView& view_;
  const std::vector<std::vector<Location>>& locations_;
  // Hosts by the name of their clock.
  std::map<std::string, OTF2_SystemTreeNodeRef> hosts_;
  // For each communicator, the group's index and whether its members are
  // listed.
  std::vector<std::pair<std::uint32_t, bool>> groups_;
  std::uint64_t without_members_ = 0;
  // Location of each rank, later its position among all ranks.
  std::map<std::uint32_t, std::uint64_t> members_;
};

}  // namespace

std::uint64_t defineWorld(Writing& to, const JobView& view,
                          const std::vector<std::vector<Location>>& locations) {
  return World(to, view, locations).define();
}

}  // namespace traced::otf2
