// Cards, what was seen of them, and the processes on them.
#include <fmt/format.h>

#include "cli/views/view_lists.h"
#include "cli/views/view_reader.h"
#include "cli/views/views.h"

namespace gpusched::cli {
namespace {

// As engines show it: enough of the id to find it.
constexpr std::size_t kContainerIdShown = 12;

ProcessView process_from(const Reader& json) {
  ProcessView process;
  json.number("pid", process.pid);
  json.text("user", process.user);
  std::optional<std::uint32_t> uid;
  json.number("uid", uid);
  if (process.user.empty() && uid) process.user = std::to_string(*uid);
  json.text("name", process.command);
  json.text("command", process.command);
  std::string kind;
  std::string id;
  json.inner("container").text("kind", kind);
  json.inner("container").text("id", id);
  if (!kind.empty())
    process.container = fmt::format("{} {}", kind, id.substr(0, kContainerIdShown));
  json.number("vram_bytes", process.vram_bytes);
  json.number("busy_percent", process.busy_percent);
  json.time("started_at", process.started_at);
  json.time("idle_since", process.idle_since);
  json.number("job", process.job);
  return process;
}

AsideView aside_from(const Reader& json) {
  AsideView aside;
  json.number("job", aside.job);
  json.text("state", aside.state);
  json.text("mechanism", aside.mechanism);
  json.time("since", aside.since);
  json.number("host_bytes", aside.host_bytes);
  json.fact("idle", aside.idle);
  json.fact("wanted", aside.wanted);
  json.fact("by_hand", aside.by_hand);
  return aside;
}

CardView::Moves moves_from(const Reader& json) {
  CardView::Moves moves;
  json.number("bytes_per_s", moves.bytes_per_s);
  json.number("measured", moves.measured);
  return moves;
}

CardView card_from(const Reader& json) {
  CardView card;
  json.number("number", card.number);
  json.text("uuid", card.uuid);
  json.text("model", card.model);
  json.number("vram_bytes", card.vram_bytes);
  json.number("held_vram_bytes", card.held_vram_bytes);
  json.number("held_share_percent", card.held_share_percent);
  json.fact("usable", card.usable);
  json.text("alias", card.alias);
  json.fact("managed", card.managed);
  json.text("state", card.state);
  json.text("reason", card.reason);
  json.number("share_cap_percent", card.share_cap_percent);
  json.text("share_cap_reason", card.share_cap_reason);
  card.out = moves_from(json.inner("move_rates").inner("out"));
  card.back = moves_from(json.inner("move_rates").inner("back"));
  json.numbers("jobs", card.jobs);
  json.number("foreign_bytes", card.foreign_bytes);
  if (const Reader seen = json.inner("sample"); seen.present()) {
    SampleView& sample = card.sample.emplace();
    seen.number("used_bytes", sample.used_bytes);
    seen.number("busy_percent", sample.busy_percent);
    seen.number("temperature_c", sample.temperature_c);
    seen.number("power_watts", sample.power_watts);
  }
  json.each("processes", [&](const JsonValue& entry) {
    card.processes.push_back(process_from(Reader(&entry)));
  });
  json.each("aside",
            [&](const JsonValue& entry) { card.aside.push_back(aside_from(Reader(&entry))); });
  return card;
}

}  // namespace

std::vector<CardView> cards_from(const Reader& json) {
  std::vector<CardView> cards;
  json.each("cards", [&](const JsonValue& entry) { cards.push_back(card_from(Reader(&entry))); });
  return cards;
}

Result<GpusView> parse_gpus(std::string_view body) {
  auto value = parse_answer(body);
  if (!value) return failure(value.error());
  const Reader json(&*value);
  GpusView view;
  json.text("source", view.source);
  json.number("missing", view.missing);
  json.each("backends", [&](const JsonValue& entry) {
    BackendView& backend = view.backends.emplace_back();
    bool absent = false;
    Reader(&entry).text("name", backend.name);
    Reader(&entry).fact("absent", absent);
    // A kind of hardware that is not here is no trouble.
    if (!absent) Reader(&entry).text("trouble", backend.trouble);
  });
  view.cards = cards_from(json);
  const Reader host = json.inner("host");
  host.number("cpus", view.cpus);
  host.number("cpus_held", view.cpus_held);
  host.number("ram_bytes", view.ram_bytes);
  host.number("ram_held_bytes", view.ram_held_bytes);
  return view;
}

}  // namespace gpusched::cli
