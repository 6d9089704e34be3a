#include "http/gzip.h"

#include <zlib.h>

#include <array>

#include "base/check.h"
#include "base/text.h"

namespace gpusched {
namespace {

constexpr int kLevel = 1;  // Rows of jobs become a tenth; more would cost three times the time.
// 8 KiB of what came before, and gzip's head and end. With both a stream takes 100 KiB of memory.
constexpr int kWindowBits = 13 + 16;
constexpr int kMemoryLevel = 7;
// What others have coded may look back further.
constexpr int kAnyWindowBits = 15 + 16;

// "q=0", "q=0.000": not at all.
bool is_zero(std::string_view weight) {
  return weight.starts_with("q=0") && weight.find_first_of("123456789") == std::string_view::npos;
}

}  // namespace

struct Gzip::Stream {
  z_stream zlib{};
};

Gzip::Gzip() : stream_(std::make_unique<Stream>()) {
  const int said = ::deflateInit2(&stream_->zlib, kLevel, Z_DEFLATED, kWindowBits, kMemoryLevel,
                                  Z_DEFAULT_STRATEGY);
  CHECK(said == Z_OK);  // Anything else is a wrong constant, or no memory.
}

Gzip::~Gzip() { ::deflateEnd(&stream_->zlib); }

void Gzip::add(std::string_view piece, bool last, std::string& out) {
  z_stream& zlib = stream_->zlib;
  std::array<char, 16U << 10> room{};
  // zlib does not change it, but does not say so.
  zlib.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(piece.data()));
  zlib.avail_in = static_cast<uInt>(piece.size());
  do {
    zlib.next_out = reinterpret_cast<Bytef*>(room.data());
    zlib.avail_out = static_cast<uInt>(room.size());
    const int said = ::deflate(&zlib, last ? Z_FINISH : Z_SYNC_FLUSH);
    CHECK(said != Z_STREAM_ERROR);
    out.append(room.data(), room.size() - zlib.avail_out);
  } while (zlib.avail_out == 0);
}

std::optional<std::string> gunzip(std::string_view coded, std::size_t most) {
  z_stream zlib{};
  if (::inflateInit2(&zlib, kAnyWindowBits) != Z_OK) return std::nullopt;
  // One byte more, so that what is longer is noticed.
  std::string out(most + 1, '\0');
  zlib.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(coded.data()));
  zlib.avail_in = static_cast<uInt>(coded.size());
  zlib.next_out = reinterpret_cast<Bytef*>(out.data());
  zlib.avail_out = static_cast<uInt>(out.size());
  const int said = ::inflate(&zlib, Z_FINISH);
  out.resize(out.size() - zlib.avail_out);
  ::inflateEnd(&zlib);
  if (said != Z_STREAM_END || out.size() > most) return std::nullopt;
  return out;
}

bool accepts_gzip(std::string_view accept_encoding) {
  bool any = false;
  for (std::string_view rest : split_nonempty(accept_encoding, ',')) {
    const std::string name = lower_case(trimmed(take_until(rest, ';')));
    const bool wanted = !is_zero(trimmed(rest));
    if (name == "gzip" || name == "x-gzip") return wanted;
    if (name == "*") any = wanted;
  }
  return any;
}

}  // namespace gpusched
