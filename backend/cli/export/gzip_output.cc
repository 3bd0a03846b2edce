#include "cli/export/gzip_output.h"

namespace traced {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{1} << 18;
// The fastest level. The next one takes 50 % longer and saves 10 % of the size.
constexpr int kLevel = 1;
// The largest window; adding 16 selects the gzip header.
constexpr int kGzipWindow = 15 + 16;
constexpr int kMemory = 9;

}  // namespace

GzipOutput::GzipOutput(std::ostream& to)
    : std::ostream(nullptr),
      out_(to),
      plain_(kBufferBytes),
      compressed_(kBufferBytes) {
  usable_ = deflateInit2(&zlib_, kLevel, Z_DEFLATED, kGzipWindow, kMemory,
                         Z_DEFAULT_STRATEGY) == Z_OK;
  rdbuf(this);
  setp(plain_.data(), plain_.data() + plain_.size());
  if (!usable_) setstate(std::ios::badbit);
}

GzipOutput::~GzipOutput() {
  if (usable_) deflateEnd(&zlib_);
}

std::streambuf::int_type GzipOutput::overflow(int_type c) {
  compress(Z_NO_FLUSH);
  if (!traits_type::eq_int_type(c, traits_type::eof())) {
    sputc(traits_type::to_char_type(c));
  }
  return out_.good() ? traits_type::not_eof(c) : traits_type::eof();
}

// Does not flush the compressor: small pieces compress badly. Only finish()
// writes the remaining bytes.
int GzipOutput::sync() { return out_.good() ? 0 : -1; }

void GzipOutput::finish() {
  if (usable_) compress(Z_FINISH);
  if (!out_) setstate(std::ios::badbit);
}

void GzipOutput::compress(int flush) {
  zlib_.next_in = reinterpret_cast<unsigned char*>(pbase());
  zlib_.avail_in = static_cast<unsigned>(pptr() - pbase());
  do {
    zlib_.next_out = compressed_.data();
    zlib_.avail_out = static_cast<unsigned>(compressed_.size());
    deflate(&zlib_, flush);
    out_.write(
        reinterpret_cast<const char*>(compressed_.data()),
        static_cast<std::streamsize>(compressed_.size() - zlib_.avail_out));
  } while (zlib_.avail_out == 0);
  setp(plain_.data(), plain_.data() + plain_.size());
}

}  // namespace traced
