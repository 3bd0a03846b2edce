// GzipOutput is a stream whose bytes are compressed on their way into another.

#pragma once

#include <zlib.h>

#include <ostream>
#include <streambuf>
#include <vector>

namespace traced {

class GzipOutput : private std::streambuf, public std::ostream {
  using int_type = std::streambuf::int_type;
  using traits_type = std::streambuf::traits_type;

 public:
  explicit GzipOutput(std::ostream& to);
  ~GzipOutput() override;
  GzipOutput(const GzipOutput&) = delete;
  GzipOutput& operator=(const GzipOutput&) = delete;

  // Writes what is left. Nothing may follow.
  void finish();

 private:
  int_type overflow(int_type c) override;
  int sync() override;
  void compress(int flush);

  std::ostream& out_;
  std::vector<char> plain_;
  std::vector<unsigned char> compressed_;
  z_stream zlib_ = {};
  bool usable_ = false;
};

}  // namespace traced
