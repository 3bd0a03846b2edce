// DigestSource has the digests of the selected streams of a set, whether they
// were written or are made of traces now.

#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "analysis/reading/trace_set.h"
#include "traced/v1/trace.pb.h"

namespace traced {

// The set must outlive it. Memory: the digests that are made now, packed.
class DigestSource {
 public:
  explicit DigestSource(const TraceSet& set);

  // What the digests were made in; more than one where streams were digested
  // apart.
  const std::vector<v1::DigestLook>& looks() const { return looks_; }

  // Calls visit(stream, payload) for each selected stream in their order.
  // Returns how many could not be read.
  using VisitDigest = std::function<void(std::size_t, v1::Payload&)>;
  std::size_t forEach(const VisitDigest& visit) const;

 private:
  void addLooks();
  void makeOthers();

  const TraceSet& set_;
  std::vector<v1::DigestLook> looks_;
  // By streams of the set.
  std::map<std::size_t, std::string> made_;
};

}  // namespace traced
