#include "api/cursor.h"

#include "http/target.h"

namespace gpusched {
namespace {

constexpr std::string_view kDigits = "0123456789abcdef";

}  // namespace

std::string sealed_cursor(std::string_view place) {
  std::string out;
  out.reserve(place.size() * 2);
  for (const char c : place) {
    const auto byte = static_cast<unsigned char>(c);
    out += kDigits[byte >> 4U];
    out += kDigits[byte & 15U];
  }
  return out;
}

std::optional<std::string> opened_cursor(std::string_view cursor) {
  if (cursor.empty() || cursor.size() % 2 != 0) return std::nullopt;
  std::string out;
  for (std::size_t i = 0; i < cursor.size(); i += 2) {
    const std::size_t high = kDigits.find(cursor[i]);
    const std::size_t low = kDigits.find(cursor[i + 1]);
    if (high == std::string_view::npos || low == std::string_view::npos) return std::nullopt;
    out += static_cast<char>(high * 16 + low);
  }
  return out;
}

std::pair<std::string, std::string> next_link(const HttpRequest& request,
                                              const std::string& cursor) {
  HttpTarget target{request.segments, request.query};
  target.query["cursor"] = cursor;
  return {"Link", "<" + target_text(target) + ">; rel=\"next\""};
}

}  // namespace gpusched
