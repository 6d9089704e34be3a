#include "json/error_json.h"

#include <fmt/format.h>

#include "json/json_value.h"
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

Error read_error(std::string_view body, int status) {
  Error found{error_code_of_status(status),
              fmt::format("the daemon answered with HTTP status {}", status)};
  const auto value = parse_json(body);
  const JsonValue* error = value ? value->find("error") : nullptr;
  if (error == nullptr) return found;
  const auto text = [&](const char* name) {
    const JsonValue* field = error->find(name);
    const auto* said = field == nullptr ? nullptr : field->as<std::string>();
    return said == nullptr ? std::string() : *said;
  };
  if (const std::string code = text("code"); !code.empty()) found.code = error_code_named(code);
  if (std::string message = text("message"); !message.empty()) found.message = std::move(message);
  return found;
}

}  // namespace gpusched
