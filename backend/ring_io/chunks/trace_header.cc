#include "ring_io/chunks/trace_header.h"

#include "base/clock.h"
#include "base/utf8.h"
#include "trace_io/chunk_format.h"

namespace traced {
namespace {

template <typename From, typename To>
void copyMap(const From& from, To* to) {
  for (const auto& [key, value] : from) {
    (*to)[toValidUtf8(key)] = toValidUtf8(value);
  }
}

void describe(const RendezvousInfo& info, v1::Rendezvous* rendezvous) {
  rendezvous->set_address(toValidUtf8(info.address));
  rendezvous->set_port(info.port);
  rendezvous->set_run_id(toValidUtf8(info.run_id));
  rendezvous->set_launcher(toValidUtf8(info.launcher));
  rendezvous->set_start(toValidUtf8(info.start));
  rendezvous->set_start_attempt(info.start_attempt);
}

}  // namespace

v1::Header makeHeader(const Options& options, const ProcessIdentity& process,
                      const HostInfo& host, std::uint64_t stream_id) {
  v1::Header header;
  header.set_schema(kSchema);
  header.set_stream_id(stream_id);
  header.set_traced_version(process.traced_version);
  header.set_torch_version(process.torch_version);
  header.set_python_version(process.python_version);
  copyMap(process.library_versions, header.mutable_library_versions());
  header.set_job(toValidUtf8(options.job));
  header.set_attempt(process.attempt);
  header.set_rank(process.rank);
  header.set_world_size(process.world_size);
  header.set_host(toValidUtf8(host.host));
  header.set_boot_id(host.boot_id);
  header.set_time_namespace(host.time_namespace);
  header.set_pid_namespace(host.pid_namespace);
  header.set_pid(host.pid);
  header.set_node(toValidUtf8(options.node));
  describe(process.rendezvous, header.mutable_rendezvous());
  copyMap(options.labels, header.mutable_labels());
  copyMap(options.asSettings(), header.mutable_settings());
  const ClockReading now = readClocks();
  header.mutable_started()->set_monotonic_ns(now.monotonic_ns);
  header.mutable_started()->set_realtime_ns(now.realtime_ns);
  header.mutable_started()->set_boottime_ns(now.boottime_ns);
  return header;
}

}  // namespace traced
