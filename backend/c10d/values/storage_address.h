// The address of a tensor's storage.

#pragma once

#include <ATen/core/Tensor.h>

namespace traced {

// Returns the storage's first byte; nullptr if its memory was freed. Requires a
// storage. Unchecked: reading the address must not materialize a copy-on-write
// storage or reject a fake one.
inline const char* storageAddress(const at::Tensor& tensor) {
  return static_cast<const char*>(tensor.unsafeGetTensorImpl()
                                      ->unsafe_storage()
                                      .unsafeGetStorageImpl()
                                      ->_mutable_data_ptr_no_checks()
                                      .get());
}

}  // namespace traced
