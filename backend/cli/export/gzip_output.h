// GzipOutput is a stream that compresses its bytes and writes them to another
// stream.

#pragma once

#include <zlib.h>

#include <ostream>
#include <streambuf>
#include <vector>

namespace traced {

// Not thread safe.
class GzipOutput : private std::streambuf, public std::ostream {
  using int_type = std::streambuf::int_type;
  using traits_type = std::streambuf::traits_type;

 public:
  // `to` must outlive this object. The destructor does not call finish():
  // without it, the output is truncated.
  explicit GzipOutput(std::ostream& to);
  ~GzipOutput() override;
  GzipOutput(const GzipOutput&) = delete;
  GzipOutput& operator=(const GzipOutput&) = delete;

  // Writes the remaining bytes and the end of the gzip data. Nothing may be
  // written after it. Sets badbit on failure.
  void finish();

 private:
  int_type overflow(int_type c) override;
  int sync() override;
  // Compresses the buffered bytes. `flush` is Z_NO_FLUSH or Z_FINISH.
  void compress(int flush);

  std::ostream& out_;
  std::vector<char> plain_;
  std::vector<unsigned char> compressed_;
  z_stream zlib_ = {};
  bool usable_ = false;
};

}  // namespace traced
