#include "replay/history.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "base/text.h"
#include "core/model/program.h"
#include "json/json_fields.h"
#include "wire/spec_fields.h"

namespace gpusched::replay {
namespace {

std::optional<Wall> time_in(const JsonValue& row, std::string_view name) {
  const JsonValue* field = row.find(name);
  const auto* text = field == nullptr ? nullptr : field->as<std::string>();
  if (text == nullptr) return std::nullopt;
  const auto time = parse_rfc3339(*text);
  return time ? std::optional(*time) : std::nullopt;
}

std::uint64_t number_at(const JsonValue& row, std::string_view name) {
  const JsonValue* field = row.find(name);
  return field == nullptr ? 0 : whole_number(*field).value_or(0);
}

std::string text_at(const JsonValue& row, std::string_view name) {
  const JsonValue* field = row.find(name);
  const auto* text = field == nullptr ? nullptr : field->as<std::string>();
  return text == nullptr ? std::string() : *text;
}

std::vector<CardGrant> grants_in(const JsonValue& row) {
  const JsonValue* field = row.find("gpus");
  const auto* cards = field == nullptr ? nullptr : field->as<JsonArray>();
  std::vector<CardGrant> grants;
  for (const JsonValue& card : cards != nullptr ? *cards : JsonArray{}) {
    const JsonValue* whole = card.find("whole");
    const bool shared = whole != nullptr && whole->as<bool>() != nullptr && !*whole->as<bool>();
    CardGrant grant;
    grant.card = CardNumber{static_cast<std::uint16_t>(number_at(card, "number"))};
    grant.vram_bytes = number_at(card, "vram_bytes");
    grant.share_percent = static_cast<int>(number_at(card, "share_percent"));
    grant.whole = !shared;
    grants.push_back(grant);
  }
  return grants;
}

Result<std::optional<PastJob>> past_job(const JsonValue& row) {
  const auto submitted = time_in(row, "submitted_at");
  const auto started = time_in(row, "started_at");
  const auto ended = time_in(row, "ended_at");
  const JsonValue* needs = row.find("needs");
  if (!submitted || needs == nullptr) {
    return failure(ErrorCode::kUnsupported, "the daemon's list of jobs is not understood");
  }
  if (!started || !ended) return std::optional<PastJob>();
  PastJob past;
  past.submitted = *submitted;
  past.started = std::max(*started, *submitted);
  past.ended = std::max(*ended, past.started);
  Fields fields(*needs);
  JobSpec spec;
  read_needs(fields, spec);
  if (auto read = fields.finish(); !read) return failure(read.error());
  past.job.needs = spec.needs;
  past.job.line = number_at(row, "id");
  past.job.priority = static_cast<int>(number_at(row, "priority"));
  past.job.time_limit = Seconds{static_cast<std::int64_t>(number_at(row, "time_limit_s"))};
  past.job.tenant = text_at(row, "tenant");
  past.job.duration = past.ended - past.started;
  past.detail.program = program_without_places(program_of_line(text_at(row, "command"), ""));
  past.detail.vram_bytes = past.job.needs.vram_bytes;
  past.detail.share_asked = past.job.needs.share_percent > 0;
  past.detail.peak_bytes = number_at(row, "peak_card_vram_bytes");
  settle(past, grants_in(row));
  return std::optional(std::move(past));
}

}  // namespace

Result<Past> read_past(std::string_view jobs, const Machine& machine, Wall since) {
  auto value = parse_json(jobs);
  if (!value) return failure(value.error());
  const JsonValue* field = value->find("jobs");
  const auto* list = field == nullptr ? nullptr : field->as<JsonArray>();
  if (list == nullptr) {
    return failure(ErrorCode::kUnsupported, "the daemon's list of jobs is not understood");
  }
  std::vector<PastJob> ran;
  std::size_t left_out = 0;
  for (const JsonValue& row : *list) {
    if (row.find("lease") != nullptr) continue;
    if (const auto submitted = time_in(row, "submitted_at"); submitted && *submitted < since) {
      continue;
    }
    auto job = past_job(row);
    if (!job) return failure(job.error());
    if (*job) {
      ran.push_back(std::move(**job));
    } else {
      ++left_out;
    }
  }
  if (ran.empty()) return failure(ErrorCode::kNotFound, "no job of that time has run and ended");
  Past past = past_of(std::move(ran), machine);
  past.left_out = left_out;
  return past;
}

Result<void> add_card(Machine& machine, const std::string& words) {
  const std::size_t colon = words.rfind(':');
  const auto size = parse_size(words.substr(colon == std::string::npos ? 0 : colon + 1));
  if (!size || *size == 0) {
    return failure(ErrorCode::kInvalid, fmt::format("'{}' is not like 24G or H100:80G", words));
  }
  int number = 0;
  for (const Card& card : machine.cards) {
    number = std::max(number, static_cast<int>(number_of(card.number)) + 1);
  }
  Card card;
  card.number = CardNumber{static_cast<std::uint16_t>(number)};
  card.uuid = fmt::format("GPU-added-{}", number);
  card.model = colon == std::string::npos ? "added" : words.substr(0, colon);
  card.vram_bytes = *size;
  machine.cards.push_back(std::move(card));
  machine.cards_per_node = machine.total();
  return {};
}

Result<void> remove_card(Machine& machine, const std::string& number) {
  const auto card = std::ranges::find_if(machine.cards, [&](const Card& each) {
    return std::to_string(number_of(each.number)) == number;
  });
  if (card == machine.cards.end()) {
    return failure(ErrorCode::kNotFound, fmt::format("there is no card '{}'", number));
  }
  if (machine.cards.size() == 1) {
    return failure(ErrorCode::kInvalid, "that is the only card there is");
  }
  machine.cards.erase(card);
  machine.cards_per_node = machine.total();
  return {};
}

std::string compared(const Measures& was, const Measures& would) {
  const auto span = [](double seconds) {
    return format_duration(Microseconds{static_cast<Microseconds::rep>(seconds * 1e6)});
  };
  std::string out = fmt::format("{:<24}{:>14}{:>14}\n", "", "as it was", "simulated");
  const auto row = [&](std::string_view name, const std::string& a, const std::string& b) {
    out += fmt::format("{:<24}{:>14}{:>14}\n", name, a, b);
  };
  const auto spread = [&](const std::string& name, const Spread& a, const Spread& b) {
    row(name + ", average", span(a.average), span(b.average));
    row(name + ", median", span(a.median), span(b.median));
    row(name + ", p95", span(a.p95), span(b.p95));
    row(name + ", longest", span(a.longest), span(b.longest));
  };
  spread("completion", was.completion_s, would.completion_s);
  spread("waiting", was.wait_s, would.wait_s);
  row("makespan", span(was.makespan_s), span(would.makespan_s));
  row("cards in use", fmt::format("{:.1f} %", was.utilisation_percent),
      fmt::format("{:.1f} %", would.utilisation_percent));
  row("fairness (Jain)", fmt::format("{:.3f}", was.shares.jain),
      fmt::format("{:.3f}", would.shares.jain));
  return out;
}

}  // namespace gpusched::replay
