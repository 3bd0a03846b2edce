// OtlpSender sends messages to an OpenTelemetry collector on its own thread, so
// that `serve` never waits for the collector.

#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "cli/serve/http/http_exchange.h"
#include "cli/serve/metric_families.h"
#include "cli/serve/otlp/otlp_message.h"

namespace traced {

// Sends one message and blocks until the response or a failure.
OtlpAnswer sendOtlp(const HttpUrl& url, std::string message);

// A message that cannot be sent is dropped: its counters are cumulative, so the
// next message includes them.
class OtlpSender {
 public:
  // `every` is the interval between messages. After a failure, the pause starts
  // at `every` and doubles up to the larger of 30 s and `every`. A pause that
  // the collector asks for has priority.
  OtlpSender(HttpUrl url, std::chrono::nanoseconds every);
  // Does not wait for a response.
  ~OtlpSender();
  OtlpSender(const OtlpSender&) = delete;
  OtlpSender& operator=(const OtlpSender&) = delete;

  // Returns whether a message is due and the previous one is done.
  bool isDue() const;
  // Queues a message. Call it only if isDue().
  void send(std::string message);

  // Adds counts of the messages sent and failed so far.
  void addCounts(MetricFamilies& metrics) const;
  // Returns new sentences for the user: the first failure, and the recovery.
  std::vector<std::string> takeMessages();

 private:
  struct State;

  static void run(const std::shared_ptr<State>& state);

  const std::shared_ptr<State> state_;
};

}  // namespace traced
