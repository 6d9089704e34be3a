// Answers about the daemon and the machine.
#include "cli/views/view_reader.h"
#include "cli/views/views.h"

namespace gpusched::cli {

Result<OverviewView> parse_overview(std::string_view body) {
  auto answer = parse_message<wire::Overview>(body);
  if (!answer) return failure(answer.error());
  return OverviewView{.running = std::move(answer->running),
                      .waiting = std::move(answer->waiting),
                      .recent = std::move(answer->recent),
                      .sweeps = std::move(answer->sweeps).value_or(std::vector<SweepView>()),
                      .counts = answer->counts,
                      .cards = views_of(std::move(answer->cards)),
                      .problems = std::move(answer->problems)};
}

Result<std::vector<GroupView>> parse_groups(std::string_view body) {
  auto answer = parse_message<wire::Groups>(body);
  if (!answer) return failure(answer.error());
  return std::move(answer->groups);
}

std::uint64_t parse_group_removed(std::string_view body) {
  const auto answer = parse_message<wire::Groups>(body);
  return answer ? answer->waiting.value_or(0) : 0;
}

Result<std::vector<ReservationView>> parse_reservations(std::string_view body) {
  auto answer = parse_message<wire::Reservations>(body);
  if (!answer) return failure(answer.error());
  return std::move(answer->reservations);
}

Result<VersionView> parse_version(std::string_view body) {
  return parse_message<wire::Version>(body);
}

}  // namespace gpusched::cli
