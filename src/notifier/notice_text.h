// What a message says to people, once for all channels: how bad, which machine, what happened;
// then since when, to whom, how often, where to look and what to do. Each part is one clean line;
// a channel escapes it in its own way.
#pragma once

#include <string>
#include <vector>

#include "wire/notifier_lines.h"

namespace gpusched::notifier {

struct NoticeText {
  struct Line {
    std::string label;  // "Since"; empty: the value says it all.
    std::string value;
  };
  std::string word;   // "CRITICAL", "RESOLVED" …
  std::string title;  // "CRITICAL node1: card 0 is at 91 °C, its limit is 87 °C"
  std::vector<Line> lines;
  std::string link;  // May be empty.
};

NoticeText notice_text(const Delivery& delivery);
// "Label: value", without the link.
std::string line_text(const NoticeText::Line& line);
// All of it as plain lines, the link too.
std::string whole_text(const NoticeText& text);
// "2026-01-01 08:00:00 UTC"
std::string time_text(Wall time);

}  // namespace gpusched::notifier
