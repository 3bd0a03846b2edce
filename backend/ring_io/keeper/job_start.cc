#include "ring_io/keeper/job_start.h"

#include <filesystem>
#include <initializer_list>

namespace traced {

std::string jobStartKey(const std::string& trace, const v1::Header& header) {
  const v1::Rendezvous& met = header.rendezvous();
  std::string key = std::filesystem::path(trace).parent_path().string();
  const auto add = [&key](const std::string& part) {
    key.push_back('\0');
    key += part;
  };
  add(header.job());
  add(met.start());
  if (!met.start().empty()) return key;
  for (const std::string& part :
       {std::to_string(header.attempt()), met.address(),
        std::to_string(met.port()), met.run_id(), met.launcher()}) {
    add(part);
  }
  return key;
}

}  // namespace traced
