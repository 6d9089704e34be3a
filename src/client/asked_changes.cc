#include "client/asked_changes.h"

#include <utility>

#include "client/row_splitter.h"
#include "json/json_value.h"

namespace gpusched {
namespace {

// Ids that fit a request line.
constexpr std::size_t kIdsMost = 500;

std::uint64_t id_of(std::string_view row) {
  const auto value = parse_json(row);
  const JsonValue* id = value ? value->find("id") : nullptr;
  const auto* number = id == nullptr ? nullptr : id->as<std::uint64_t>();
  return number == nullptr ? 0 : *number;
}

}  // namespace

AskedChanges::AskedChanges(const Client& client, std::string jobs, First first)
    : client_(client), jobs_(jobs == "all" ? std::string() : std::move(jobs)), first_(first) {}

Result<AskedChanges::Rows> AskedChanges::ask(const std::string& target) const {
  auto body = client_.call({.target = target});
  if (!body) return failure(body.error());
  Rows rows;
  RowSplitter splitter([&](std::string_view row) {
    if (const std::uint64_t id = id_of(row); id > 0) rows[id] = row;
  });
  splitter.feed(*body);
  return rows;
}

Result<std::vector<StreamEvent>> AskedChanges::look() {
  auto rows = ask(jobs_.empty() ? "/v1/jobs?state=active,waiting"
                                : "/v1/jobs?ids=" + percent_encoded(jobs_));
  if (!rows) return failure(rows.error());
  std::string gone;
  std::size_t count = 0;
  for (const auto& [id, row] : seen_) {
    if (rows->contains(id) || !jobs_.empty() || ++count > kIdsMost) continue;
    gone += (gone.empty() ? "" : ",") + std::to_string(id);
  }
  Rows changed;
  if (!gone.empty()) {
    // What the daemon has forgotten by now has nothing more to tell.
    if (auto ended = ask("/v1/jobs?ids=" + gone)) changed = std::move(*ended);
  }
  for (const auto& [id, row] : *rows) {
    const auto before = seen_.find(id);
    if (before == seen_.end() || before->second != row) changed[id] = row;
  }
  seen_ = std::move(*rows);
  std::vector<StreamEvent> events;
  const bool begins = !std::exchange(begun_, true);
  if (begins && first_ == First::kNothing) return events;
  // News have no number of the stream's; none at all is the mark of a picture.
  const std::string mark = begins ? "" : "asked";
  for (auto& [id, row] : changed) events.push_back({"job", mark, std::move(row)});
  return events;
}

}  // namespace gpusched
