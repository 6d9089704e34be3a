#include "json/error_json.h"

#include <string_view>

#include "json/json_writer.h"

namespace gpusched {

namespace {

// What a client sent may be part of a sentence, and as long as a request.
std::string_view cut(std::string_view message) {
  constexpr std::size_t kMessageMost = 600;
  if (message.size() <= kMessageMost) return message;
  std::size_t end = kMessageMost;
  while (end > 0 && (static_cast<unsigned char>(message[end]) & 0xC0U) == 0x80U) --end;
  return message.substr(0, end);
}

}  // namespace

std::string error_json(const Error& error) {
  std::string out;
  JsonWriter json(out);
  json.begin_object().key("error").begin_object();
  json.field("code", error_code_name(error.code)).field("message", cut(error.message));
  json.end_object().end_object();
  return out;
}

}  // namespace gpusched
