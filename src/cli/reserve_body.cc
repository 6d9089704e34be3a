#include "cli/reserve_body.h"

#include <fmt/format.h>

#include "base/text.h"
#include "cli/flag_values.h"
#include "json/json_writer.h"
#include "os/clock.h"
#include "wire/spec_values.h"

namespace gpusched::cli {
namespace {

Result<void> write_reserved_cards(JsonWriter& json, const Arguments& arguments, ReserveFor whom) {
  std::string text;
  if (whom == ReserveFor::kMaintenance) {
    for (const std::string& word : arguments.operands) text += (text.empty() ? "" : ",") + word;
  } else {
    text = arguments.text("--gpu");
    const std::string gpus = arguments.text("--gpus");
    if (!text.empty() && !gpus.empty()) {
      return failure(ErrorCode::kInvalid, "give either --gpus or --gpu, not both");
    }
    // A single number says how many; a list says which.
    if (!gpus.empty() && gpus.find(',') == std::string::npos) {
      auto count = parse_whole(gpus, 1, 4096);
      if (!count) return failure(ErrorCode::kInvalid, "--gpus: " + count.error().message);
      json.field("count", *count);
      return {};
    }
    if (text.empty()) text = gpus;
  }
  if (text.empty()) {
    return failure(ErrorCode::kInvalid, "say which cards: --gpus 2, --gpus 0,1 or --gpu NAME");
  }
  auto cards = parse_cards(text);
  if (!cards) return failure(cards.error());
  json.key("cards");
  write_value(json, *cards, Plain{});
  return {};
}

}  // namespace

Result<std::string> reserve_body(const Arguments& arguments, ReserveFor whom) {
  std::string body;
  JsonWriter json(body);
  json.begin_object();
  if (auto written = write_reserved_cards(json, arguments, whom); !written) {
    return failure(written.error());
  }
  if (whom == ReserveFor::kMaintenance) {
    json.field("maintenance", true).field("name", arguments.text("--reason"));
  } else {
    // With neither it is for the one who asks.
    if (arguments.has("--tenant")) json.field("tenant", arguments.text("--tenant"));
    if (arguments.has("--user")) json.field("user", arguments.text("--user"));
    json.field("name", arguments.text("--name"));
  }
  const Wall now = read_clock().wall;
  const auto time = [&](const char* flag, const char* field) -> Result<void> {
    if (!arguments.has(flag)) return {};
    auto at = parse_time(arguments.text(flag), now, utc_offset_at(now));
    if (!at) return failure(ErrorCode::kInvalid, std::string(flag) + ": " + at.error().message);
    json.field(field, *at);
    return {};
  };
  if (auto read = time("--from", "from"); !read) return failure(read.error());
  if (auto read = time("--until", "until"); !read) return failure(read.error());
  if (arguments.has("--for")) {
    auto length = parse_duration(arguments.text("--for"));
    if (!length) return failure(ErrorCode::kInvalid, "--for: " + length.error().message);
    json.field("for_s", *length);
  }
  if (arguments.has("--for") == arguments.has("--until")) {
    return failure(ErrorCode::kInvalid, "say how long: --for 3h, or --until TIME");
  }
  json.end_object();
  return body;
}

}  // namespace gpusched::cli
