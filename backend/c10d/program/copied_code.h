// CopiedCode copies a Python code object and the names and lines that it refers
// to. The code may be freed or replaced meanwhile: everything is checked before
// it is used.

#pragma once

#include <Python.h>

#include <cstddef>
#include <memory>
#include <string>

namespace traced {

class CopiedCode {
 public:
  // Copies the code at `address`. Returns false if there is no code.
  bool copy(const PyCodeObject* address);

  // The copy, for python_code. Only its names, lines and numbers may be used.
  const PyCodeObject& get() const { return code_; }

 private:
  using Bytes = std::unique_ptr<std::byte[]>;

  PyCodeObject code_{};
  Bytes file_;
  Bytes name_;
  Bytes lines_;
};

// Returns the text of a Python string of at most 64 KiB, cut to `most` bytes of
// UTF-8. Returns "" if `address` holds no string.
std::string copiedText(const PyObject* address, std::size_t most);

}  // namespace traced
