#include "api/field_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/text.h"
#include "wire/messages/job.h"
#include "wire/spec_fields.h"

namespace gpusched {
namespace {

std::vector<std::string_view> names_of(RowKind kind) {
  std::vector<std::string_view> names;
  const auto add = [&](const auto& row) { names.push_back(row.name); };
  if (kind == RowKind::kRow) {
    wire::for_each_field<wire::JobRow>(add);
    return names;
  }
  wire::for_each_field<wire::JobDetails>(add);
  for_each_spec_field([&](const auto& row) {
    const Shown shown = row.terms.shown;
    if (shown == Shown::kDetails || shown == Shown::kPlaces) names.push_back(row.shown_name());
  });
  return names;
}

// Where the text that begins at `at` has its last quote.
std::size_t end_of_text(std::string_view json, std::size_t at) {
  for (++at; json[at] != '"'; ++at) at += json[at] == '\\' ? 1 : 0;
  return at;
}

// Just behind the value that begins at `at`.
std::size_t end_of_value(std::string_view json, std::size_t at) {
  std::size_t depth = 0;
  for (;; ++at) {
    const char c = json[at];
    const bool closes = c == '}' || c == ']';
    if (depth == 0 && (closes || c == ',')) return at;
    if (c == '"') at = end_of_text(json, at);
    if (c == '{' || c == '[') ++depth;
    if (closes) --depth;
  }
}

}  // namespace

bool FieldChoice::asks_why() const {
  return has("reason") || has("estimated_start") || has("start_unknown") ||
         has("deadline_warning") || has("expected_end") || has("progress") || has("said");
}

void FieldChoice::append(std::string& out, std::string_view object) const {
  out += '{';
  bool first = true;
  for (std::size_t at = 1; object[at] != '}';) {
    const std::size_t quote = end_of_text(object, at);
    const std::size_t end = end_of_value(object, quote + 2);
    if (has(object.substr(at + 1, quote - at - 1))) {
      if (!std::exchange(first, false)) out += ',';
      out += object.substr(at, end - at);
    }
    at = object[end] == ',' ? end + 1 : end;
  }
  out += '}';
}

Result<std::optional<FieldChoice>> parse_fields(const std::map<std::string, std::string>& query,
                                                RowKind kind) {
  const auto it = query.find("fields");
  if (it == query.end()) return std::optional<FieldChoice>{};
  const std::vector<std::string_view> known = names_of(kind);
  std::set<std::string, std::less<>> names;
  for (const std::string_view name : split_nonempty(it->second, ',')) {
    if (std::ranges::find(known, name) != known.end()) {
      names.emplace(name);
      continue;
    }
    const std::string near = nearest_word(name, known.data(), known.size());
    return failure(
        ErrorCode::kInvalid,
        fmt::format("fields has \"{}\", which jobs here do not have{}", name.substr(0, 80),
                    near.empty() ? "" : fmt::format("; did you mean {}?", near)));
  }
  if (names.empty()) return failure(ErrorCode::kInvalid, "fields names none, such as id,state");
  return std::optional(FieldChoice(std::move(names)));
}

}  // namespace gpusched
