#include <fmt/format.h>

#include "cli/render/render.h"
#include "cli/table.h"

namespace gpusched::cli {
namespace {

std::string holder_of(const ReservationView& one) {
  if (one.id == 0) return "calendar";
  if (one.maintenance) return "maintenance";
  return one.user.empty() ? "tenant " + one.tenant : one.user;
}

}  // namespace

std::string render_reservations(const std::vector<ReservationView>& reservations,
                                const Page& page) {
  Table table({{"ID", true},
               {"CARDS"},
               {"FOR"},
               {"FROM"},
               {"UNTIL"},
               {"NAME", false, 6},
               {"STILL THERE", false, 0, 1}});
  for (const ReservationView& one : reservations) {
    std::string cards;
    for (const wire::ReservedCard& card : one.cards) {
      cards += (cards.empty() ? "" : ",") + std::to_string(card.number);
    }
    std::string jobs;
    for (const std::uint64_t job : one.jobs_of_others) {
      jobs += (jobs.empty() ? "job " : ", ") + std::to_string(job);
    }
    table.add({{one.id == 0 ? "" : std::to_string(one.id)},
               {cards},
               {holder_of(one)},
               {one.from ? local_time(*one.from, page) : ""},
               {one.until ? local_time(*one.until, page) : ""},
               {one.name},
               {jobs}});
  }
  return table.text(page.width, page.colour);
}

}  // namespace gpusched::cli
