#include "analysis/pictures/speed_picture.h"

#include <algorithm>
#include <cmath>

#include "analysis/stream/names.h"

namespace traced {

void SpeedPictureBuilder::add(v1::Operation op, double message_bytes,
                              double bus_factor, const OperationSplit& split) {
  if (message_bytes < 1 || bus_factor <= 0) return;
  const double bus_bytes = message_bytes * bus_factor;
  Speeds* speeds = nullptr;
  const auto keep = [&](Histogram Speeds::*histogram, double ns) {
    if (ns <= 0) return;
    if (!speeds) speeds = &speeds_[{op, std::ilogb(message_bytes)}];
    // Faster values are measurement errors.
    (speeds->*histogram)
        .add(static_cast<std::uint64_t>(std::min(bus_bytes * 1e9 / ns, 1e18)));
  };
  if (split.transfer_above_zero && split.transfer) {
    keep(&Speeds::transfer, static_cast<double>(split.transfer->ns));
  }
  if (split.ready_to_end_ns) {
    keep(&Speeds::ready, static_cast<double>(*split.ready_to_end_ns));
  }
}

void SpeedPictureBuilder::add(const SpeedPictureBuilder& other) {
  for (const auto& [key, speeds] : other.speeds_) {
    speeds_[key].transfer.add(speeds.transfer);
    speeds_[key].ready.add(speeds.ready);
  }
}

std::vector<Speed> SpeedPictureBuilder::finish() const {
  std::vector<Speed> all;
  for (const auto& [key, speeds] : speeds_) {
    Speed& speed = all.emplace_back();
    speed.op = nameOf(static_cast<v1::Operation>(key.first));
    speed.bytes = std::uint64_t{1} << std::min(key.second, 63);
    speed.of_transfer = speeds.transfer.count() > 0;
    const Histogram& histogram =
        speed.of_transfer ? speeds.transfer : speeds.ready;
    speed.count = histogram.count();
    speed.busbw_p10 = histogram.percentile(10);
    speed.busbw_p50 = histogram.percentile(50);
    speed.busbw_p90 = histogram.percentile(90);
  }
  return all;
}

}  // namespace traced
