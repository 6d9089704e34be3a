#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "cli/csv.h"
#include "cli/render/render.h"
#include "cli/table.h"

namespace gpusched::cli {
namespace {

std::string who_of(const wire::AuditEntry& entry) {
  std::string who = entry.user;
  if (who.empty() && entry.uid) who = fmt::format("uid {}", *entry.uid);
  if (who.empty()) who = entry.proof == "signal" ? "a signal" : "-";
  if (!entry.token.empty()) who += " (token " + entry.token + ")";
  return who;
}

Style style_of(const std::string& result) {
  if (result == "refused") return Style::kYellow;
  if (result == "failed" || result == "interrupted") return Style::kRed;
  return Style::kPlain;
}

// On a narrow screen without year and seconds, so that the rest can be read.
std::string when_of(const wire::AuditEntry& entry, const Page& page) {
  constexpr std::size_t kRoomy = 100;
  if (!entry.at) return {};
  const std::string whole = local_time(*entry.at, page);
  return page.width == 0 || page.width >= kRoomy ? whole : whole.substr(5, 11);
}

// "3 jobs", "refused: forbidden, 12 times".
std::string outcome_of(const wire::AuditEntry& entry) {
  std::string text = entry.result;
  if (!entry.code.empty()) text += ": " + entry.code;
  if (entry.times > 1) text += fmt::format(", {} times", entry.times);
  if (entry.summary.empty()) return text;
  return entry.result == "done" ? entry.summary : text + " (" + entry.summary + ")";
}

}  // namespace

std::string render_audit(const std::vector<wire::AuditEntry>& entries, const Page& page) {
  Table table({{"WHEN"},
               {"WHO", false, 6},
               {"ROLE", false, 0, 2},
               {"FROM", false, 7, 1},
               {"WHAT", false, 10},
               {"ON", false, 6},
               {"RESULT", false, 9}});
  for (const wire::AuditEntry& one : entries) {
    std::string what = one.operation;
    std::ranges::replace(what, '_', ' ');
    table.add({{when_of(one, page)},
               {who_of(one)},
               {one.role},
               {one.from == "this machine" ? "here" : one.from},
               {what},
               {one.target},
               {outcome_of(one), style_of(one.result)}});
  }
  return table.text(page.width, page.colour);
}

std::string audit_csv(const std::vector<wire::AuditEntry>& entries) {
  std::string text =
      csv_line({"sequence", "at", "user", "uid", "role", "proof", "pid", "token", "from",
                "operation", "target", "summary", "result", "code", "key", "times"});
  for (const wire::AuditEntry& one : entries) {
    text += csv_line({std::to_string(one.sequence), one.at ? format_time(*one.at) : "", one.user,
                      one.uid ? std::to_string(*one.uid) : "", one.role, one.proof,
                      one.pid ? std::to_string(*one.pid) : "", one.token, one.from, one.operation,
                      one.target, one.summary, one.result, one.code, one.key,
                      std::to_string(one.times)});
  }
  return text;
}

}  // namespace gpusched::cli
