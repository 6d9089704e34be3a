// Cards, what was last seen of them, and who is on them.
#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "base/text.h"
#include "cli/render/render.h"
#include "cli/table.h"

namespace gpusched::cli {
namespace {

struct Placed {
  int card = 0;
  const ProcessView* process = nullptr;
};

bool is_watched(const GpusView& view) {
  return std::ranges::any_of(
      view.cards, [](const CardView& card) { return card.sample || !card.state.empty(); });
}

// "-" is unknown; nothing at all where the daemon does not watch, so that the column is left out.
Cell reading(bool watched, const std::string& text) {
  return {watched && text.empty() ? "-" : text};
}

Cell state_of(const CardView& card) {
  if (!card.managed) return {"ignored", Style::kDim};
  if (!card.usable && card.state.empty()) return {"unusable", Style::kRed};
  if (!card.usable && card.state == "ok") return {"unusable", Style::kRed};
  if (card.ok()) return {"ok", Style::kGreen};
  return {card.state, card.state == "asleep" ? Style::kDim : Style::kRed};
}

std::string cards_table(const GpusView& view, const Page& page) {
  const bool watched = is_watched(view);
  Table table({{"CARD", true},
               {"MODEL", false, watched ? 12U : 8U, watched ? 1 : 0},
               {"USED", true},
               {"MEMORY", true},
               {"HELD", true, 0, watched ? 5 : 0},
               {"SHARE", true, 0, 6},
               {"BUSY", true},
               {"TEMP", true, 0, 2},
               {"POWER", true, 0, 4},
               {"JOBS", false, 4},
               {"STATE", false, 0, watched ? 0 : 1},
               {"UUID", false, 12, 7}});
  for (const CardView& card : view.cards) {
    const SampleView seen = card.seen() == nullptr ? SampleView{} : *card.seen();
    table.add({{std::to_string(card.number)},
               {card.alias.empty() ? card.model : fmt::format("{} ({})", card.model, card.alias)},
               reading(watched, size_text(seen.used_bytes)),
               reading(true, card.vram_bytes > 0 ? format_size(card.vram_bytes) : ""),
               {format_size(card.held_vram_bytes)},
               {fmt::format("{}%", card.held_share_percent)},
               reading(watched, percent_text(seen.busy_percent)),
               reading(watched, seen.temperature_c ? fmt::format("{:.0f}°C", *seen.temperature_c)
                                                   : std::string()),
               reading(watched, watts_text(seen.power_watts)),
               {jobs_on(card)},
               state_of(card),
               {card.uuid}});
  }
  return table.text(page.width, page.colour);
}

// By card, our own first, then who holds most.
std::vector<Placed> placed_processes(const GpusView& view) {
  std::vector<Placed> all;
  for (const CardView& card : view.cards) {
    for (const ProcessView& process : card.processes) all.push_back({card.number, &process});
  }
  const auto key = [](const Placed& placed) {
    const ProcessView& process = *placed.process;
    return std::tuple(placed.card, !process.job.has_value(), ~process.vram_bytes.value_or(0),
                      process.pid);
  };
  std::ranges::sort(all, [&](const Placed& a, const Placed& b) { return key(a) < key(b); });
  return all;
}

std::string processes_table(const std::vector<Placed>& placed, const Page& page) {
  Table table({{"CARD", true},
               {"JOB", true},
               {"PID", true, 0, 1},
               {"USER", false, 4},
               {"MEMORY", true},
               {"BUSY", true, 0, 2},
               {"SINCE", true, 0, 3},
               {"IDLE", true},
               {"CONTAINER", false, 0, 4},
               {"COMMAND", false, 12}});
  for (const auto& [card, process] : placed) {
    const auto ago = [&page](const std::optional<Wall>& from) {
      return from ? format_duration(std::max(page.now - *from, Microseconds{0})) : std::string();
    };
    table.add({{std::to_string(card)},
               {process->job ? std::to_string(*process->job) : "-"},
               {std::to_string(process->pid)},
               reading(true, process->user),
               reading(true, size_text(process->vram_bytes)),
               reading(true, percent_text(process->busy_percent)),
               reading(true, ago(process->started_at)),
               {ago(process->idle_since), Style::kYellow},
               {process->container},
               reading(true, process->command)});
  }
  return table.text(page.width, page.colour);
}

std::string sentence(const std::string& text, Style style, const Page& page) {
  return styled(wrapped(escaped(text), page.width, 0), style, page.colour) + "\n";
}

std::string rate_text(const wire::MoveRate& moves) {
  return fmt::format("{}/s ({})", format_size(moves.bytes_per_s),
                     moves.measured == 0 ? "not measured yet"
                                         : fmt::format("measured in {} move{}", moves.measured,
                                                       moves.measured == 1 ? "" : "s"));
}

// What a person may want to do something about.
std::string remarks(const GpusView& view, const std::vector<Placed>& placed, const Page& page) {
  std::string out;
  for (const CardView& card : view.cards) {
    if (card.reason.empty() || card.ok()) continue;
    out += sentence(card_trouble(card), Style::kRed, page);
  }
  for (const CardView& card : view.cards) {
    if (!card.share_cap_percent) continue;
    out += sentence(fmt::format("Card {} is shared up to {} % of its compute; {}.", card.number,
                                *card.share_cap_percent, card.share_cap_reason),
                    Style::kPlain, page);
  }
  for (const CardView& card : view.cards) {
    for (const AsideView& aside : card.aside) {
      out +=
          sentence(fmt::format("Aside from card {}: {}.", card.number, aside_text(aside, page.now)),
                   Style::kCyan, page);
    }
    if (card.out.measured + card.back.measured == 0) continue;
    out += sentence(fmt::format("Card {} moves memory to host RAM at {}, and back at {}.",
                                card.number, rate_text(card.out), rate_text(card.back)),
                    Style::kPlain, page);
  }
  for (const BackendView& backend : view.backends) {
    if (backend.trouble.empty()) continue;
    out += sentence(fmt::format("{}: {}", backend.name, backend.trouble), Style::kRed, page);
  }
  for (const auto& [card, process] : placed) {
    if (!process->idle_since) continue;
    out += sentence(
        fmt::format("Process {}{} has held {} of card {} for {} without using it.", process->pid,
                    process->user.empty() ? "" : " of " + process->user,
                    process->vram_bytes ? format_size(*process->vram_bytes) : "memory", card,
                    format_duration(std::max(page.now - *process->idle_since, Microseconds{0}))),
        Style::kYellow, page);
  }
  return out;
}

}  // namespace

std::string size_text(const std::optional<std::uint64_t>& bytes) {
  return bytes ? format_size(*bytes) : "";
}

std::string percent_text(const std::optional<double>& percent) {
  return percent ? fmt::format("{:.0f}%", *percent) : "";
}

std::string watts_text(const std::optional<double>& watts) {
  return watts ? fmt::format("{:.0f} W", *watts) : "";
}

std::string aside_text(const AsideView& aside, Wall now) {
  std::string text = fmt::format("job {}", aside.job);
  if (aside.state != "paused") text += fmt::format(" ({})", aside.state);
  text += aside.mechanism == "checkpoint"
              ? fmt::format(", {} in host RAM", format_size(aside.host_bytes))
              : ", frozen with its memory";
  if (aside.since) {
    text += fmt::format(", for {}", format_duration(std::max(now - *aside.since, Microseconds{0})));
  }
  if (aside.state == "resuming") return text;
  if (aside.by_hand) return text + "; paused by hand";
  if (aside.idle && !aside.wanted) return text + "; idle, returns when used";
  return text + "; returns when there is room";
}

std::string card_trouble(const CardView& card) {
  std::string text = fmt::format("Card {} is {}", card.number, state_of(card).text);
  return card.reason.empty() ? text + "." : fmt::format("{}: {}", text, card.reason);
}

std::string render_gpus(const GpusView& view, const Page& page) {
  std::string out = view.cards.empty() ? "No cards.\n" : cards_table(view, page);
  if (view.missing > 0) {
    const std::string said = fmt::format("{} of this machine's cards {} missing.", view.missing,
                                         view.missing == 1 ? "is" : "are");
    out += wrapped(said, page.width, 0) + "\n";
  }
  const std::string host =
      fmt::format("Host: {} of {} CPUs and {} of {} RAM held{}", view.cpus_held, view.cpus,
                  format_size(view.ram_held_bytes), format_size(view.ram_bytes),
                  view.source == "simulated" ? "; the cards are simulated" : "");
  out += wrapped(host, page.width, 0) + "\n";
  const std::vector<Placed> placed = placed_processes(view);
  if (!placed.empty()) out += "\n" + processes_table(placed, page);
  if (const std::string said = remarks(view, placed, page); !said.empty()) out += "\n" + said;
  return out;
}

}  // namespace gpusched::cli
