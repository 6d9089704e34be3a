// Cards, what was seen of them, and the processes on them.
#include <fmt/format.h>

#include "cli/views/view_reader.h"
#include "cli/views/views.h"

namespace gpusched::cli {
namespace {

// As engines show it: enough of the id to find it.
constexpr std::size_t kContainerIdShown = 12;

ProcessView view_of(wire::Process process) {
  ProcessView view{.pid = process.pid,
                   .user = std::move(process.user),
                   .command = std::move(process.command.empty() ? process.name : process.command),
                   .vram_bytes = process.vram_bytes,
                   .busy_percent = process.busy_percent,
                   .started_at = process.started_at,
                   .idle_since = process.idle_since,
                   .job = process.job};
  if (view.user.empty() && process.uid) view.user = std::to_string(*process.uid);
  if (const auto& container = process.container; container && !container->kind.empty()) {
    view.container =
        fmt::format("{} {}", container->kind, container->id.substr(0, kContainerIdShown));
  }
  return view;
}

}  // namespace

std::string jobs_on(const CardView& card) {
  std::string text = fmt::format("{}", fmt::join(card.jobs, ","));
  if (card.others && card.others->jobs > 0) {
    text += fmt::format("{}{} of others ({})", text.empty() ? "" : " and ", card.others->jobs,
                        format_size(card.others->vram_bytes));
  }
  return text.empty() ? "-" : text;
}

namespace {

CardView view_of(wire::Card card) {
  CardView view{.number = card.number,
                .uuid = std::move(card.uuid),
                .model = std::move(card.model),
                .vram_bytes = card.vram_bytes,
                .held_vram_bytes = card.held_vram_bytes,
                .held_share_percent = card.held_share_percent,
                .usable = card.usable,
                .state = std::move(card.state),
                .reason = std::move(card.reason).value_or(""),
                .share_cap_percent = card.share_cap_percent,
                .share_cap_reason = std::move(card.share_cap_reason).value_or(""),
                .alias = std::move(card.alias),
                .managed = card.managed,
                .jobs = std::move(card.jobs),
                .others = card.others,
                .sample = card.sample,
                .foreign_bytes = card.foreign_bytes,
                .aside = std::move(card.aside).value_or(std::vector<AsideView>())};
  if (card.move_rates) {
    view.out = card.move_rates->out;
    view.back = card.move_rates->back;
  }
  if (!card.processes) return view;
  for (wire::Process& process : *card.processes) {
    view.processes.push_back(view_of(std::move(process)));
  }
  return view;
}

}  // namespace

std::vector<CardView> views_of(std::vector<wire::Card> cards) {
  std::vector<CardView> views;
  for (wire::Card& card : cards) views.push_back(view_of(std::move(card)));
  return views;
}

Result<GpusView> parse_gpus(std::string_view body) {
  auto answer = parse_message<wire::Gpus>(body);
  if (!answer) return failure(answer.error());
  GpusView view{.missing = static_cast<int>(answer->missing),
                .source = std::move(answer->source),
                .cards = views_of(std::move(answer->cards)),
                .cpus = answer->host.cpus,
                .cpus_held = answer->host.cpus_held,
                .ram_bytes = answer->host.ram_bytes,
                .ram_held_bytes = answer->host.ram_held_bytes};
  if (!answer->backends) return view;
  for (wire::Backend& backend : *answer->backends) {
    // A kind of hardware that is not here is no trouble.
    view.backends.push_back(
        {std::move(backend.name), backend.absent ? std::string() : std::move(backend.trouble)});
  }
  return view;
}

}  // namespace gpusched::cli
