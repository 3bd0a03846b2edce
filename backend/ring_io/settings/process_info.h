// Describes the process that a recorder runs in.

#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace traced {

// Where the ranks of a run connect; see Rendezvous in trace.proto. "" and 0:
// unknown.
struct RendezvousInfo {
  std::string address;
  std::uint32_t port = 0;
  std::string run_id;
  std::string launcher;
  std::string start;
  std::uint32_t start_attempt = 0;
};

// Set by the caller, who knows the job.
struct ProcessIdentity {
  std::uint32_t rank = 0;
  std::uint32_t world_size = 1;
  std::uint32_t attempt = 0;

  bool hasSamePlaceAs(const ProcessIdentity& other) const {
    return rank == other.rank && world_size == other.world_size &&
           attempt == other.attempt;
  }

  std::string traced_version;
  std::string torch_version;
  std::string python_version;
  std::map<std::string, std::string> library_versions;
  RendezvousInfo rendezvous;
};

// Read from the system.
struct HostInfo {
  std::string host;
  std::string boot_id;               // "" when unknown
  std::uint64_t time_namespace = 0;  // inode; 0 when unknown
  std::uint64_t pid_namespace = 0;   // inode; 0 when unknown
  std::int64_t pid = 0;
};

// Reads the facts about this host and process. Never fails: a fact that cannot
// be read is unknown.
HostInfo readHostInfo();

// Returns the name of the node: `given`, otherwise the boot id, otherwise the
// host name. Returns "" if all are unknown.
std::string nodeName(const std::string& given, const HostInfo& host);

// Returns 64 random bits, never 0.
std::uint64_t randomStreamId();

}  // namespace traced
