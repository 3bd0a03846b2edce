// NoGilPtr holds what Python owns of a traced backend. Like torch's own holder
// of backends it does not hold the GIL while it lets go: what is released may
// join threads that need it.

#pragma once

#include <torch/csrc/utils/pybind.h>

#include <utility>

namespace traced {

// Layout: one c10::intrusive_ptr, as pybind11 casts between holders of a class
// and its base.
template <typename T>
class NoGilPtr {
 public:
  NoGilPtr() = default;
  explicit NoGilPtr(T* raw)
      : impl_(c10::intrusive_ptr<T>::unsafe_steal_from_new(raw)) {}
  // Implicit, as pybind11 converts.
  NoGilPtr(c10::intrusive_ptr<T> impl) : impl_(std::move(impl)) {}  // NOLINT
  NoGilPtr(const NoGilPtr&) = default;
  NoGilPtr(NoGilPtr&&) noexcept = default;
  NoGilPtr& operator=(const NoGilPtr&) = default;
  NoGilPtr& operator=(NoGilPtr&&) noexcept = default;
  ~NoGilPtr() {
    if (!impl_) return;
    if (PyGILState_Check()) {
      pybind11::gil_scoped_release released;
      impl_.reset();
    } else {
      impl_.reset();
    }
  }

  T* get() const noexcept { return impl_.get(); }
  T& operator*() const noexcept { return *impl_; }
  T* operator->() const noexcept { return impl_.get(); }

 private:
  c10::intrusive_ptr<T> impl_;
};

}  // namespace traced

PYBIND11_DECLARE_HOLDER_TYPE(T, traced::NoGilPtr<T>, true)
