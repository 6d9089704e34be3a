#include "cli/event_stream.h"

#include <utility>

namespace gpusched::cli {

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
  std::size_t begin = 0;
  while (true) {
    const std::size_t end = rest_.find('\n', begin);
    if (end == std::string::npos) break;
    std::string_view line = std::string_view(rest_).substr(begin, end - begin);
    if (line.ends_with('\r')) line.remove_suffix(1);
    field(line, out);
    begin = end + 1;
  }
  rest_.erase(0, begin);
  return out;
}

}  // namespace gpusched::cli
