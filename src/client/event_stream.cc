#include "client/event_stream.h"

#include <utility>

#include "base/text.h"

namespace gpusched {

void EventStreamParser::field(std::string_view line, std::vector<StreamEvent>& out) {
  if (line.empty()) {
    if (!next_.id.empty()) last_id_ = next_.id;
    if (has_data_) out.push_back(std::exchange(next_, {}));
    next_ = {};
    has_data_ = false;
    return;
  }
  const std::size_t colon = line.find(':');
  const std::string_view name = line.substr(0, colon);
  std::string_view value = colon == std::string_view::npos ? "" : line.substr(colon + 1);
  if (value.starts_with(' ')) value.remove_prefix(1);
  if (name == "event") {
    next_.kind = value;
  } else if (name == "id") {
    next_.id = value;
  } else if (name == "data") {
    if (has_data_) next_.data += '\n';
    next_.data += value;
    has_data_ = true;
  }
}

std::vector<StreamEvent> EventStreamParser::feed(std::string_view bytes) {
  std::vector<StreamEvent> out;
  rest_ += bytes;
  take_lines(rest_, [&](std::string_view line) {
    if (line.ends_with('\r')) line.remove_suffix(1);
    field(line, out);
  });
  return out;
}

}  // namespace gpusched
