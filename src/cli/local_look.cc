#include "cli/local_look.h"

#include <fmt/format.h>

#include <algorithm>
#include <variant>

#include "cli/display.h"
#include "cli/own_programs.h"
#include "json/json_writer.h"
#include "watch/run_program.h"
#include "wire/sampler_lines.h"

namespace gpusched::cli {
namespace {

constexpr const char* kSampler = "gpusched-sampler";
constexpr std::size_t kMostOutput = 16U << 20U;
constexpr const char* kNotSeen = "(has ended, or cannot be seen from here)";

// Puts one report into the look. The cards come first, so that every other has its place.
struct Collector {
  LocalLook& look;

  CardLook* place_of(CardNumber number) const {
    const auto place = std::ranges::find(look.cards, number,
                                         [](const CardLook& each) { return each.card.number; });
    return place == look.cards.end() ? nullptr : &*place;
  }
  void say(CardNumber number, const char* state, const std::string& reason) const {
    CardLook* place = place_of(number);
    if (place == nullptr) return;
    place->sample.reset();
    place->state = state;
    place->reason = reason;
  }
  void operator()(const watch::CardsReport& report) const {
    look.backends = report.backends;
    look.cards.clear();
    for (const watch::NumberedCard& card : report.cards) {
      look.cards.push_back({.card = card, .reason = "nothing was said about it"});
    }
  }
  void operator()(const watch::SampleReport& report) const {
    say(report.card, "ok", "");
    if (CardLook* place = place_of(report.card)) place->sample = report;
  }
  void operator()(const watch::UnknownReport& report) const {
    say(report.card, "unknown", report.reason);
  }
  void operator()(const watch::AsleepReport& report) const {
    say(report.card, "asleep", "switched off by the kernel to save power");
  }
  void operator()(const watch::GoneReport& report) const {
    say(report.card, "gone", report.reason);
  }
  void operator()(const watch::ComplaintReport& report) const {
    look.complaints.push_back(report.sentence);
  }
  // One look has no use for what happens between two.
  void operator()(const watch::EventReport&) const {}
  void operator()(const watch::EndedReport&) const {}
  void operator()(const watch::OtherReport&) const {}
};

// "ml1: python train.py (job 7)".
std::string whose(const watch::WatchedProcess& process) {
  const watch::ProcessOwner& owner = process.owner;
  std::string text = owner.command.empty() ? process.seen.name : owner.command;
  if (!owner.user.empty()) {
    text = owner.user + ": " + text;
  } else if (owner.uid) {
    text = fmt::format("uid {}: {}", *owner.uid, text);
  }
  if (owner.attempt) text += fmt::format(" (job {})", to_string(owner.attempt->job));
  if (!owner.alive) text += (text.empty() ? "" : " ") + std::string(kNotSeen);
  return text;
}

watch::LocalCard table_card(const CardLook& look) {
  watch::LocalCard card;
  card.number = number_of(look.card.number);
  card.identity = look.card.identity;
  if (look.state != "ok") {
    card.trouble =
        look.reason.empty() ? look.state : fmt::format("{}: {}", look.state, look.reason);
  }
  if (!look.sample) return card;
  card.sample = look.sample->sample;
  if (!look.sample->processes) return card;
  for (const watch::WatchedProcess& process : *look.sample->processes) {
    card.processes.push_back(process.seen);
    card.processes.back().name = whose(process);
  }
  return card;
}

}  // namespace

Result<LocalLook> read_look(std::string_view lines) {
  LocalLook look;
  while (!lines.empty()) {
    const std::size_t end = std::min(lines.find('\n'), lines.size());
    const std::string_view line = lines.substr(0, end);
    lines.remove_prefix(std::min(end + 1, lines.size()));
    if (line.empty()) continue;
    auto report = read_report(line);
    if (!report) {
      return failure(ErrorCode::kUnsupported,
                     fmt::format("read what {} says: {}", kSampler, report.error().message));
    }
    std::visit(Collector{look}, *report);
  }
  return look;
}

Result<LocalLook> look_here(std::chrono::milliseconds deadline) {
  const auto program = program_beside(kSampler);
  if (!program) {
    return failure(ErrorCode::kUnsupported,
                   fmt::format("there is no {0} beside this program or in ../libexec/gpusched; it "
                               "is what looks at cards, and comes with an installation",
                               kSampler));
  }
  auto done = watch::run_program(
      {.arguments = {*program, "--once"}, .deadline = deadline, .most_bytes = kMostOutput}, {});
  if (!done) return failure(done.error());
  auto look = read_look(done->output);
  // What it could not put into lines, it says as a program does.
  if (look && look->backends.empty() && look->cards.empty() && done->exit_code != 0) {
    const std::string words = look->complaints.empty() ? done->errors : look->complaints.front();
    return failure(ErrorCode::kUnavailable,
                   fmt::format("{} ended with {}{}{}", *program, done->exit_code,
                               words.empty() ? "" : ": ", words.substr(0, words.find('\n'))));
  }
  return look;
}

bool driver_in_trouble(const LocalLook& look) {
  return std::ranges::any_of(look.backends, [](const watch::BackendState& backend) {
    return !backend.trouble.empty() && !backend.absent;
  });
}

std::string look_text(const LocalLook& look, std::size_t width) {
  std::vector<watch::LocalCard> cards;
  for (const CardLook& card : look.cards) cards.push_back(table_card(card));
  std::string text = format_local(cards, width);
  // Without cards everybody who looked says why; else only who should have seen something.
  for (const watch::BackendState& backend : look.backends) {
    if (backend.trouble.empty() || (backend.absent && !cards.empty())) continue;
    const std::string line = fmt::format("{}: {}", backend.name, backend.trouble);
    text += "  " + wrapped(escaped(line), width, 2) + "\n";
  }
  return text;
}

std::string look_json(const LocalLook& look) {
  std::string out;
  JsonWriter json(out);
  json.begin_object().field("schema", 1).field("source", "local").key("backends").begin_array();
  for (const watch::BackendState& backend : look.backends) write_backend(json, backend);
  json.end_array().key("cards").begin_array();
  for (const CardLook& card : look.cards) {
    json.begin_object();
    write_numbered_card(json, card.card);
    json.field("state", card.state);
    if (!card.reason.empty()) json.field("reason", card.reason);
    if (card.sample) {
      json.field("sampled_at", card.sample->at.wall).key("sample");
      write_card_sample(json, card.sample->sample);
    }
    if (card.sample && card.sample->processes) {
      json.key("processes").begin_array();
      for (const auto& process : *card.sample->processes) write_watched_process(json, process);
      json.end_array();
    }
    json.end_object();
  }
  json.end_array().key("complaints").begin_array();
  for (const std::string& sentence : look.complaints) json.value(sentence);
  json.end_array().end_object();
  return out + "\n";
}

}  // namespace gpusched::cli
