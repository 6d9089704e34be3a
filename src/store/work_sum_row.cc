#include "store/work_sum_row.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/number.h"
#include "base/text.h"

namespace gpusched {
namespace {

// Names of tenants come from people: what separates here, and all that is not plain, as %2C.
std::string coded(std::string_view name) {
  std::string out;
  for (const char c : name) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '_' || c == '-' || c == '.';
    out += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return out;
}

std::optional<std::string> decoded(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    if (text.front() != '%') {
      out += text.front();
      text.remove_prefix(1);
      continue;
    }
    unsigned code = 0;
    if (text.size() < 3 || !whole_number(text.substr(1, 2), code, 16)) return std::nullopt;
    out += static_cast<char>(static_cast<unsigned char>(code));
    text.remove_prefix(3);
  }
  return out;
}

void write_tally(std::string& out, const char* name, const Tally& tally) {
  if (tally.empty()) return;
  out += fmt::format("{}{}=", out.empty() ? "" : " ", name);
  bool first = true;
  for (const auto& [at, amount] : tally.entries()) {
    out += fmt::format("{}{}:{}", first ? "" : ",", at, amount);
    first = false;
  }
}

bool read_tally(std::string_view text, Tally& tally) {
  while (!text.empty()) {
    std::string_view entry = take_until(text, ',');
    std::uint8_t at = 0;
    double amount = 0;
    if (!whole_number(take_until(entry, ':'), at) || !whole_number(entry, amount)) return false;
    tally.add(at, amount);
  }
  return true;
}

// Causes as words: their numbers are nobody's promise.
void write_failures(std::string& out, const Tally& failures) {
  if (failures.empty()) return;
  out += fmt::format("{}failed=", out.empty() ? "" : " ");
  bool first = true;
  for (const auto& [cause, amount] : failures.entries()) {
    out += fmt::format("{}{}:{}", first ? "" : ",", cause_name(static_cast<Cause>(cause)), amount);
    first = false;
  }
}

bool read_failures(std::string_view text, Tally& failures) {
  while (!text.empty()) {
    std::string_view entry = take_until(text, ',');
    const auto cause = cause_named(std::string(take_until(entry, ':')));
    double amount = 0;
    if (!whole_number(entry, amount)) return false;
    if (cause) failures.add(static_cast<std::uint8_t>(*cause), amount);
  }
  return true;
}

bool read_waited_for(std::string_view text, WorkSums& sums) {
  while (!text.empty()) {
    std::string_view entry = take_until(text, ',');
    const auto tenant = decoded(take_until(entry, ':'));
    double seconds = 0;
    if (!tenant || !whole_number(entry, seconds)) return false;
    sums.waited_while_held_by(*tenant, seconds);
  }
  return true;
}

bool read_figure(std::string_view name, std::string_view value, WorkSums& sums) {
  if (name == "waits") return read_tally(value, sums.waits);
  if (name == "hours") return read_tally(value, sums.hours);
  if (name == "failed") return read_failures(value, sums.failures);
  if (name == "for") return read_waited_for(value, sums);
  const auto figure = std::ranges::find(kWorkFigures, name, &WorkFigure::name);
  return figure == kWorkFigures.end() || whole_number(value, sums.*figure->where);
}

}  // namespace

std::string work_sums_to_text(const WorkSums& sums) {
  std::string out;
  for (const WorkFigure& figure : kWorkFigures) {
    const double value = sums.*figure.where;
    if (value != 0) out += fmt::format("{}{}={}", out.empty() ? "" : " ", figure.name, value);
  }
  write_tally(out, "waits", sums.waits);
  write_tally(out, "hours", sums.hours);
  write_failures(out, sums.failures);
  if (sums.waited_for.empty()) return out;
  out += out.empty() ? "for=" : " for=";
  bool first = true;
  for (const auto& [tenant, seconds] : sums.waited_for) {
    out += fmt::format("{}{}:{}", first ? "" : ",", coded(tenant), seconds);
    first = false;
  }
  return out;
}

std::optional<WorkSums> work_sums_from_text(std::string_view text) {
  WorkSums sums;
  while (!text.empty()) {
    std::string_view word = take_until(text, ' ');
    const std::string_view name = take_until(word, '=');
    if (!read_figure(name, word, sums)) return std::nullopt;
  }
  return sums;
}

Result<void> put_work_sum(Statement& put, const WorkSum& sum) {
  const WorkKey& key = sum.key;
  return put.run(key.month ? 1 : 0, key.day, key.tenant, key.user, key.project, key.card, key.model,
                 key.name, key.program, work_sums_to_text(sum.sums));
}

Result<void> delete_work_sum(Statement& remove, const WorkKey& key) {
  return remove.run(key.month ? 1 : 0, key.day, key.tenant, key.user, key.project, key.card,
                    key.model, key.name, key.program);
}

std::optional<WorkSum> read_work_sum(const Statement& select) {
  const auto text = [&select](int column) { return std::string(select.text(column)); };
  auto sums = work_sums_from_text(select.text(9));
  if (!sums) return std::nullopt;
  return WorkSum{.key = {.month = select.integer(0) != 0,
                         .day = static_cast<int>(select.integer(1)),
                         .tenant = text(2),
                         .user = text(3),
                         .project = text(4),
                         .card = static_cast<int>(select.integer(5)),
                         .model = text(6),
                         .name = text(7),
                         .program = text(8)},
                 .sums = std::move(*sums)};
}

}  // namespace gpusched
