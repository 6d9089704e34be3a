// Answers about the daemon and the machine.
#include "cli/views/view_lists.h"
#include "cli/views/view_reader.h"
#include "cli/views/views.h"

namespace gpusched::cli {

Result<OverviewView> parse_overview(std::string_view body) {
  auto value = parse_answer(body);
  if (!value) return failure(value.error());
  const Reader json(&*value);
  OverviewView view;
  view.running = rows_from(json, "running");
  view.waiting = rows_from(json, "waiting");
  view.recent = rows_from(json, "recent");
  view.sweeps = sweeps_from(json);
  view.counts = counts_from(json);
  view.cards = cards_from(json);
  json.texts("problems", view.problems);
  return view;
}

Result<std::vector<GroupView>> parse_groups(std::string_view body) {
  auto value = parse_answer(body);
  if (!value) return failure(value.error());
  std::vector<GroupView> groups;
  Reader(&*value).each("groups", [&](const JsonValue& entry) {
    const Reader from(&entry);
    GroupView& group = groups.emplace_back();
    from.text("name", group.name);
    from.number("limit", group.limit);
    from.fact("paused", group.paused);
    from.number("running", group.running);
    from.number("waiting", group.waiting);
  });
  return groups;
}

std::uint64_t parse_group_removed(std::string_view body) {
  std::uint64_t waiting = 0;
  if (const auto value = parse_answer(body)) Reader(&*value).number("waiting", waiting);
  return waiting;
}

Result<std::vector<ReservationView>> parse_reservations(std::string_view body) {
  auto value = parse_answer(body);
  if (!value) return failure(value.error());
  std::vector<ReservationView> reservations;
  Reader(&*value).each("reservations", [&](const JsonValue& entry) {
    const Reader from(&entry);
    ReservationView& one = reservations.emplace_back();
    from.number("id", one.id);
    from.text("name", one.name);
    from.text("user", one.user);
    from.text("tenant", one.tenant);
    from.text("by", one.by);
    from.fact("maintenance", one.maintenance);
    from.each("cards", [&](const JsonValue& card) {
      CardRef& ref = one.cards.emplace_back();
      Reader(&card).number("number", ref.number);
      Reader(&card).text("uuid", ref.uuid);
    });
    from.numbers("jobs_of_others", one.jobs_of_others);
    from.time("from", one.from);
    from.time("until", one.until);
  });
  return reservations;
}

Result<VersionView> parse_version(std::string_view body) {
  auto value = parse_answer(body);
  if (!value) return failure(value.error());
  const Reader json(&*value);
  VersionView view;
  json.text("version", view.version);
  json.inner("api").number("least", view.api_least);
  json.inner("api").number("most", view.api_most);
  json.number("pid", view.pid);
  json.number("uid", view.uid);
  json.text("state_directory", view.state_directory);
  json.text("cards_from", view.cards_from);
  json.texts("problems", view.problems);
  return view;
}

}  // namespace gpusched::cli
