#include "c10d/program/context_carrier.h"

#include <ATen/ThreadLocalPythonObjects.h>

#include <memory>
#include <string>
#include <utility>

#include "recorder/context/context.h"

namespace traced {
namespace {

using at::impl::ThreadLocalPythonObjects;

// PyTorch takes these along, by shared pointer. It holds no Python object, so
// that the GIL is not needed to let go of it.
struct Given : c10::SafePyObject {
  explicit Given(ContextRef given)
      : SafePyObject(nullptr, nullptr), context(std::move(given)) {}
  const ContextRef context;
};

const std::string& key() {
  static const std::string kKey = "traced.context";
  return kKey;
}

class TorchContextCarrier final : public ContextCarrier {
 public:
  void give(const ContextRef& context) override {
    // Not all versions of torch can erase one.
    static const auto kNothing = std::make_shared<Given>(nullptr);
    ThreadLocalPythonObjects::set(
        key(), context ? std::make_shared<Given>(context) : kNothing);
  }

  const ContextRef* given() const noexcept override {
    if (!ThreadLocalPythonObjects::contains(key())) return nullptr;
    const auto& object = ThreadLocalPythonObjects::get(key());
    return &static_cast<const Given*>(object.get())->context;
  }
};

}  // namespace

void carryContexts() {
  static TorchContextCarrier carrier;
  setContextCarrier(carrier);
}

}  // namespace traced
