// Server-sent events: the bytes of /v1/events in, events out. Pure; the connection is elsewhere.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gpusched {

struct StreamEvent {
  std::string kind = "message";
  std::string id;
  std::string data;
};

class EventStreamParser {
 public:
  // The events that `bytes` complete. Comments and unknown fields are skipped.
  std::vector<StreamEvent> feed(std::string_view bytes);
  // The last id seen, also of an event without data; empty: none yet.
  const std::string& last_id() const { return last_id_; }

 private:
  void field(std::string_view line, std::vector<StreamEvent>& out);
  std::string rest_;
  StreamEvent next_;
  std::string last_id_;
  bool has_data_ = false;
};

}  // namespace gpusched
