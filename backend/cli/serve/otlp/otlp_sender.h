// OtlpSender sends messages to a collector of OpenTelemetry's, in a thread of
// its own: nobody waits for the collector.

#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "cli/serve/http/http_exchange.h"
#include "cli/serve/metric_families.h"
#include "cli/serve/otlp/otlp_message.h"

namespace traced {

// Sends one, and waits for the answer.
OtlpAnswer sendOtlp(const HttpUrl& url, std::string message);

// What could not be sent is not kept: the next message has all that is counted.
class OtlpSender {
 public:
  // `every`: from one message to the next. After a failure it is as long, then
  // twice as long, and so on, up to 30 s or `every`, or what the collector asks
  // for.
  OtlpSender(HttpUrl url, std::chrono::nanoseconds every);
  // Does not wait for an answer.
  ~OtlpSender();
  OtlpSender(const OtlpSender&) = delete;
  OtlpSender& operator=(const OtlpSender&) = delete;

  // Whether it is time for a message, and the one before is done with.
  bool isDue() const;
  void send(std::string message);

  // What came of messages so far.
  void addCounts(MetricFamilies& metrics) const;
  // Sentences for people: that it begins to fail, and that it goes again.
  std::vector<std::string> takeWords();

 private:
  struct State;

  static void run(const std::shared_ptr<State>& state);

  const std::shared_ptr<State> state_;
};

}  // namespace traced
