// NoGilPtr is the Python holder of a traced backend. Like torch's holder, it
// drops the GIL during release, because the released backend may join threads
// that need it.

#pragma once

#include <torch/csrc/utils/pybind.h>

#include <utility>

namespace traced {

// Must have the layout of one c10::intrusive_ptr, because pybind11 casts
// between the holders of a class and its base.
template <typename T>
class NoGilPtr {
 public:
  NoGilPtr() = default;
  explicit NoGilPtr(T* raw)
      : impl_(c10::intrusive_ptr<T>::unsafe_steal_from_new(raw)) {}
  // Implicit, because pybind11 converts.
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
