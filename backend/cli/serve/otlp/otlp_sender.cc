#include "cli/serve/otlp/otlp_sender.h"

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <ctime>
#include <mutex>
#include <optional>
#include <random>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "cli/serve/http/http_exchange.h"
#include "phrasing/text.h"

namespace traced {
namespace {

using Clock = std::chrono::steady_clock;

constexpr HttpBounds kBounds{std::chrono::seconds(10), 64 << 10};
constexpr std::chrono::nanoseconds kMaxPause = std::chrono::seconds(30);

// Adds jitter, so that hosts do not all return to a restarted collector at
// once.
std::chrono::nanoseconds spread(std::chrono::nanoseconds pause) {
  static thread_local std::minstd_rand random{std::random_device{}()};
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
      pause * std::uniform_real_distribution<>(0.75, 1.25)(random));
}

}  // namespace

OtlpAnswer sendOtlp(const HttpUrl& url, std::string message) {
  return otlpAnswer(
      askHttp({url, "application/json", std::move(message), ""}, kBounds),
      std::time(nullptr));
}

struct OtlpSender::State {
  State(HttpUrl collector, std::chrono::nanoseconds pause)
      : url(std::move(collector)), every(pause) {}

  void take(const OtlpAnswer& answer);
  void setProblem(std::string problem);

  const HttpUrl url;
  const std::chrono::nanoseconds every;

  std::mutex mutex;
  std::condition_variable changed;
  std::optional<std::string> message;
  bool is_sending = false;
  bool is_stopping = false;
  Clock::time_point due;

  std::uint64_t taken = 0;
  std::uint64_t failed = 0;
  std::uint64_t refused_points = 0;
  // Failures since the last accepted message.
  int failed_in_a_row = 0;
  std::string problem;
  std::vector<std::string> messages;
};

void OtlpSender::State::take(const OtlpAnswer& answer) {
  refused_points += answer.refused_points;
  if (answer.is_taken) {
    ++taken;
    due = Clock::now() + every;
  } else {
    ++failed;
    const auto pause = failurePause(every, kMaxPause, failed_in_a_row);
    due = Clock::now() +
          (answer.retry_after ? *answer.retry_after : spread(pause));
  }
  setProblem(answer.problem);
  failed_in_a_row = answer.is_taken ? 0 : failed_in_a_row + 1;
}

// Records a sentence when a problem starts or ends, not while it lasts.
void OtlpSender::State::setProblem(std::string now) {
  if (!now.empty() && problem.empty()) {
    messages.push_back(absl::StrCat("--otlp: ", url.authority(), ": ", now));
  } else if (now.empty() && !problem.empty()) {
    messages.push_back(absl::StrCat(
        "--otlp: ", url.authority(), " takes messages again",
        failed_in_a_row > 0
            ? absl::StrCat(", ", countOf(failed_in_a_row, "message"),
                           " did not get there")
            : ""));
  }
  problem = std::move(now);
}

OtlpSender::OtlpSender(HttpUrl url, std::chrono::nanoseconds every)
    : state_(std::make_shared<State>(std::move(url), every)) {
  // Resolving a name may block forever, so the thread is detached.
  std::thread([state = state_] { run(state); }).detach();
}

OtlpSender::~OtlpSender() {
  const std::lock_guard lock(state_->mutex);
  state_->is_stopping = true;
  state_->changed.notify_one();
}

void OtlpSender::run(const std::shared_ptr<State>& state) {
  std::unique_lock lock(state->mutex);
  for (;;) {
    state->changed.wait(
        lock, [&] { return state->is_stopping || state->message.has_value(); });
    if (state->is_stopping) return;
    std::string message = *std::exchange(state->message, std::nullopt);
    lock.unlock();
    const OtlpAnswer answer = sendOtlp(state->url, std::move(message));
    lock.lock();
    state->is_sending = false;
    state->take(answer);
  }
}

bool OtlpSender::isDue() const {
  const std::lock_guard lock(state_->mutex);
  return !state_->is_sending && Clock::now() >= state_->due;
}

void OtlpSender::send(std::string message) {
  const std::lock_guard lock(state_->mutex);
  state_->message = std::move(message);
  state_->is_sending = true;
  state_->changed.notify_one();
}

void OtlpSender::addCounts(MetricFamilies& metrics) const {
  const std::lock_guard lock(state_->mutex);
  const auto add = [&](const char* name, const char* help,
                       std::uint64_t value) {
    metrics.counter(name, help, {}, static_cast<double>(value));
  };
  add("traced_serve_otlp_messages", "Messages that the collector accepted",
      state_->taken);
  add("traced_serve_otlp_failures",
      "Messages that the collector rejected or did not receive",
      state_->failed);
  add("traced_serve_otlp_refused_points",
      "Data points that the collector rejected within accepted messages",
      state_->refused_points);
}

std::vector<std::string> OtlpSender::takeMessages() {
  const std::lock_guard lock(state_->mutex);
  return std::exchange(state_->messages, {});
}

}  // namespace traced
