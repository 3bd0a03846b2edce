// Simulates the part of NVML that traced uses. The variable SIMULATED_NVML has
// the state of each GPU: "SM_MHZ MAX_SM_MHZ MEMORY_MHZ REASONS CELSIUS ECC
// XID". A negative number is a value that NVML does not support. An XID is
// reported once per set of events. Without the variable there is no GPU.

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

using Return = int;
constexpr Return kSuccess = 0;
constexpr Return kNotSupported = 3;
constexpr Return kNotFound = 6;
constexpr Return kTimeout = 10;

struct State {
  long long sm = -1;
  long long max_sm = -1;
  long long memory = -1;
  long long reasons = -1;
  long long celsius = -1;
  long long ecc = -1;
  long long xid = 0;
  bool exists = false;
};

State state() {
  State s;
  const char* const text = std::getenv("SIMULATED_NVML");
  s.exists = text && std::sscanf(text, "%lld %lld %lld %lld %lld %lld %lld",
                                 &s.sm, &s.max_sm, &s.memory, &s.reasons,
                                 &s.celsius, &s.ecc, &s.xid) == 7;
  return s;
}

template <typename Value>
Return give(long long value, Value* to) {
  if (value < 0) return kNotSupported;
  *to = static_cast<Value>(value);
  return kSuccess;
}

// A set of events, and a device.
int events_seen = 0;
int device = 0;

struct EventData {
  void* device;
  unsigned long long type;
  unsigned long long data;
  unsigned gpu_instance;
  unsigned compute_instance;
};

}  // namespace

extern "C" {

Return nvmlInit_v2() { return kSuccess; }

Return nvmlDeviceGetHandleByPciBusId_v2(const char* id, void** handle) {
  const bool is_one = std::strncmp(id, "0000:", 5) == 0;
  if (!is_one || !state().exists) return kNotFound;
  *handle = &device;
  return kSuccess;
}

Return nvmlDeviceGetClockInfo(void*, int type, unsigned* mhz) {
  return give(type == 2 ? state().memory : state().sm, mhz);
}

Return nvmlDeviceGetMaxClockInfo(void*, int, unsigned* mhz) {
  return give(state().max_sm, mhz);
}

Return nvmlDeviceGetCurrentClocksEventReasons(void*,
                                              unsigned long long* reasons) {
  return give(state().reasons, reasons);
}

Return nvmlDeviceGetTemperature(void*, int, unsigned* celsius) {
  return give(state().celsius, celsius);
}

Return nvmlDeviceGetTotalEccErrors(void*, int, int,
                                   unsigned long long* errors) {
  return give(state().ecc, errors);
}

Return nvmlEventSetCreate(void** set) {
  *set = &events_seen;
  return kSuccess;
}

Return nvmlDeviceRegisterEvents(void*, unsigned long long, void*) {
  return kSuccess;
}

Return nvmlEventSetWait_v2(void*, EventData* event, unsigned) {
  const long long xid = state().xid;
  if (xid <= 0 || events_seen++ > 0) return kTimeout;
  *event = {&device, 8, static_cast<unsigned long long>(xid), 0, 0};
  return kSuccess;
}

}  // extern "C"
