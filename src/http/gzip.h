// gzip, for what is sent. zlib.h is included by gzip.cc alone.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace gpusched {

// One answer on its way, piece by piece.
class Gzip {
 public:
  Gzip();
  ~Gzip();
  Gzip(const Gzip&) = delete;
  Gzip& operator=(const Gzip&) = delete;

  // Appends the coded form of `piece` to `out`, whole: the client can read all that came so far.
  void add(std::string_view piece, bool last, std::string& out);

 private:
  struct Stream;
  std::unique_ptr<Stream> stream_;
};

// What was coded, if that is whole and has at most so many bytes.
std::optional<std::string> gunzip(std::string_view coded, std::size_t most);

// By the value of Accept-Encoding.
bool accepts_gzip(std::string_view accept_encoding);

}  // namespace gpusched
