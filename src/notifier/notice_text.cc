#include "notifier/notice_text.h"

#include <fmt/format.h>

#include "base/text.h"
#include "notifier/plain_text.h"

namespace gpusched::notifier {
namespace {

// Of each part: no text of somebody else may fill a message.
constexpr std::size_t kTitleMost = 300;
constexpr std::size_t kPartMost = 800;
constexpr std::size_t kOthersMost = 5;

std::string word_for(const Notice& notice) {
  if (notice.resolved) return "RESOLVED";
  switch (notice.severity) {
    case Severity::kInfo:
      return "INFO";
    case Severity::kWarning:
      return "WARNING";
    case Severity::kCritical:
      return "CRITICAL";
  }
  return "INFO";
}

void add_count(const Message& message, std::vector<NoticeText::Line>& lines) {
  if (message.times < 2) return;
  for (std::size_t i = 0; i < message.others.size() && i < kOthersMost; ++i) {
    lines.push_back({"Also", cut(one_line(message.others[i]), kTitleMost)});
  }
  lines.push_back({"", fmt::format("{} in all, the last at {}", with_commas(message.times),
                                   time_text(message.last_at))});
}

}  // namespace

std::string time_text(Wall time) {
  std::string text = format_time(time).substr(0, 19);
  text[10] = ' ';
  return text + " UTC";
}

NoticeText notice_text(const Delivery& delivery) {
  const Notice& notice = delivery.message.notice;
  NoticeText text;
  text.word = word_for(notice);
  const std::string subject = one_line(notice.subject);
  const std::string what = one_line(notice.what);
  const bool named = subject.empty() || what.find(subject) != std::string::npos;
  const std::string machine = one_line(delivery.machine);
  text.title = cut(fmt::format("{}{}{}: {}{}", text.word, machine.empty() ? "" : " ",
                               cut(machine, 64), named ? "" : cut(subject, 100) + ": ", what),
                   kTitleMost);
  if (notice.since) {
    const bool over = notice.resolved;
    text.lines.push_back({over ? "It began" : "Since", time_text(*notice.since)});
  }
  if (!notice.whom.empty()) {
    text.lines.push_back({"Concerns", cut(one_line(notice.whom), kPartMost)});
  }
  add_count(delivery.message, text.lines);
  if (!notice.advice.empty()) {
    text.lines.push_back({"What to do", cut(one_line(notice.advice), kPartMost)});
  }
  text.link = cut(one_line(delivery.link), kPartMost);
  return text;
}

std::string line_text(const NoticeText::Line& line) {
  return line.label.empty() ? line.value : line.label + ": " + line.value;
}

std::string whole_text(const NoticeText& text) {
  std::string whole = text.title;
  for (const NoticeText::Line& line : text.lines) whole += "\n" + line_text(line);
  if (!text.link.empty()) whole += "\nLook: " + text.link;
  return whole;
}

}  // namespace gpusched::notifier
