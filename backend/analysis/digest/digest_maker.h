// Makes digests of the selected streams of a set.

#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "analysis/reading/trace_set.h"
#include "analysis/report/report_builder.h"
#include "analysis/report/run_arrivals.h"
#include "traced/v1/trace.pb.h"

namespace traced {

// Reads the streams twice, as a report does. The set must outlive it.
class DigestMaker {
 public:
  DigestMaker(const TraceSet& set, const std::string& version);

  // What the digests have in common.
  const v1::DigestLook& look() const { return look_; }

  // Calls take(stream, payload) for each selected stream, in their order and
  // never two at once: what the chunk says that is its digest.
  using TakeDigest = std::function<void(std::size_t, v1::Payload&)>;
  void make(const TakeDigest& take);

 private:
  v1::DigestLook describe(const std::string& version) const;

  const TraceSet& set_;
  const RunArrivals run_;
  const ReportBuilder::Peers peers_;
  const ReportBuilder builder_;
  const v1::DigestLook look_;
};

}  // namespace traced
