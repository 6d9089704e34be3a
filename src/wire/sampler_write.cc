#include <type_traits>

#include "json/json_writer.h"
#include "wire/sample_fields.h"
#include "wire/sampler_lines.h"

namespace gpusched {
namespace {

using namespace watch;

// Writes a field if it is known.
struct Put {
  JsonWriter& json;

  template <class T>
  void operator()(std::string_view name, const std::optional<T>& field) const {
    if (field) (*this)(name, *field);
  }
  void operator()(std::string_view name, const std::string& text) const {
    if (!text.empty()) json.field(name, text);
  }
  void operator()(std::string_view name, Boot time) const {
    json.field(name, time.time_since_epoch().count());
  }
  void operator()(std::string_view name, std::chrono::milliseconds duration) const {
    json.field(name, duration.count());
  }
  template <class T>
  void operator()(std::string_view name, const T& value) const {
    if constexpr (std::is_enum_v<T>) {
      json.field(name, word_of(value));
    } else {
      json.field(name, value);
    }
  }
};

void put_attempt(JsonWriter& json, const std::optional<AttemptId>& attempt) {
  if (attempt) json.field("job", attempt->job).field("attempt", attempt->number);
}

void put_time(JsonWriter& json, const Now& at) {
  json.field("at", at.wall);
  Put{json}("boot_us", at.boot);
}

// What every report about one card begins with.
template <class CardReport>
void put_card(JsonWriter& json, const CardReport& report) {
  json.field("card", number_of(report.card));
  Put{json}("uuid", report.uuid);
  put_time(json, report.at);
}

struct ReportWriter {
  JsonWriter& json;

  void begin(std::string_view type) const { json.begin_object().field("v", 1).field("type", type); }
  void operator()(const CardsReport& report) const {
    begin("cards");
    json.key("cards").begin_array();
    for (const NumberedCard& card : report.cards) {
      json.begin_object();
      write_numbered_card(json, card);
      json.end_object();
    }
    json.end_array().key("backends").begin_array();
    for (const BackendState& backend : report.backends) write_backend(json, backend);
    json.end_array();
  }
  void operator()(const SampleReport& report) const {
    begin("sample");
    put_card(json, report);
    json.field("cause", word_of(report.cause)).key("sample");
    write_card_sample(json, report.sample);
    if (!report.processes) return;
    json.key("processes").begin_array();
    for (const WatchedProcess& process : *report.processes) write_watched_process(json, process);
    json.end_array();
  }
  void operator()(const UnknownReport& report) const {
    begin("unknown");
    put_card(json, report);
    json.field("reason", report.reason);
  }
  void operator()(const AsleepReport& report) const {
    begin("asleep");
    put_card(json, report);
  }
  void operator()(const GoneReport& report) const {
    begin("gone");
    put_card(json, report);
    json.field("reason", report.reason);
  }
  void operator()(const EventReport& report) const {
    begin("event");
    if (report.card) json.field("card", number_of(*report.card));
    Put{json}("uuid", report.event.uuid);
    put_time(json, report.at);
    json.field("kind", word_of(report.event.kind)).field("number", report.event.number);
  }
  void operator()(const EndedReport& report) const {
    begin("ended");
    put_card(json, report);
    json.key("processes").begin_array();
    for (const EndedProcess& process : report.processes) {
      json.begin_object();
      each_account_field(process.account, Put{json});
      put_attempt(json, process.attempt);
      json.end_object();
    }
    json.end_array();
  }
  void operator()(const ComplaintReport& report) const {
    begin("complaint");
    json.field("sentence", report.sentence);
  }
  void operator()(const OtherReport& report) const { begin(report.type); }
};

struct OrderWriter {
  JsonWriter& json;

  void begin(std::string_view type) const { json.begin_object().field("v", 1).field("type", type); }
  void operator()(const PeriodOrder& order) const {
    begin("period");
    const Put put{json};
    put("busy", order.busy);
    put("busy_ms", order.busy_period);
    put("idle_ms", order.idle_period);
    put("deadline_ms", order.deadline);
  }
  void operator()(const SampleNowOrder& order) const {
    begin("sample_now");
    if (order.card) json.field("card", number_of(*order.card));
  }
  void operator()(const JobsOrder& order) const {
    begin("jobs");
    json.key("attempts").begin_array();
    for (const RunningAttempt& each : order.attempts) {
      json.begin_object();
      put_attempt(json, each.attempt);
      json.field("shim", each.shim);
      Put{json}("uid", each.uid);
      json.end_object();
    }
    json.end_array();
    Put{json}("cgroup", order.cgroup);
  }
  void operator()(const QuitOrder&) const { begin("quit"); }
  void operator()(const OtherOrder& order) const { begin(order.type); }
};

}  // namespace

void write_numbered_card(JsonWriter& json, const NumberedCard& card) {
  json.field("number", number_of(card.number));
  each_identity_field(card.identity, Put{json});
  if (!card.identity.nvlink_neighbours.empty()) {
    json.key("nvlink_neighbours").begin_array();
    for (const std::string& pci : card.identity.nvlink_neighbours) json.value(pci);
    json.end_array();
  }
  Put{json}("backend", card.backend);
}

void write_backend(JsonWriter& json, const BackendState& backend) {
  json.begin_object().field("name", backend.name);
  Put{json}("driver_version", backend.driver_version);
  Put{json}("trouble", backend.trouble);
  if (backend.absent) json.field("absent", true);
  json.end_object();
}

void write_card_sample(JsonWriter& json, const CardSample& sample) {
  json.begin_object();
  each_sample_field(sample, Put{json});
  if (sample.throttle) {
    json.key("throttle").begin_array();
    for (std::size_t bit = 0; bit < kThrottleWords.size(); ++bit) {
      if ((*sample.throttle & 1U << bit) != 0) json.value(kThrottleWords[bit]);
    }
    json.end_array();
  }
  json.end_object();
}

void write_watched_process(JsonWriter& json, const WatchedProcess& process,
                           std::optional<Wall> idle_since) {
  json.begin_object();
  each_process_field(process, Put{json});
  put_attempt(json, process.owner.attempt);
  if (!process.owner.alive) json.field("alive", false);
  if (const auto& container = process.owner.container) {
    json.key("container").begin_object().field("kind", word_of(container->kind));
    Put{json}("id", container->id);
    Put{json}("pod", container->pod);
    Put{json}("group", container->group);
    json.end_object();
  }
  if (idle_since) json.field("idle_since", *idle_since);
  json.end_object();
}

namespace {

std::string line_of(const Report& report) {
  std::string line;
  JsonWriter json(line);
  std::visit(ReportWriter{json}, report);
  json.end_object();
  return line;
}

// With so much of each command: whoever starts programs with long arguments on a card must not be
// able to hide the card.
Report with_commands_cut(const Report& report, std::size_t most) {
  Report shorter = report;
  auto* sample = std::get_if<SampleReport>(&shorter);
  if (sample == nullptr || !sample->processes) return shorter;
  for (WatchedProcess& process : *sample->processes) {
    if (process.owner.command.size() > most) process.owner.command.resize(most);
    if (process.seen.name.size() > most) process.seen.name.resize(most);
  }
  return shorter;
}

}  // namespace

std::string write_report(const Report& report) {
  std::string line = line_of(report);
  for (const std::size_t most : {std::size_t{64}, std::size_t{0}}) {
    if (line.size() <= kSamplerLineMost) break;
    line = line_of(with_commands_cut(report, most));
  }
  return line;
}

std::string write_order(const Order& order) {
  std::string line;
  JsonWriter json(line);
  std::visit(OrderWriter{json}, order);
  json.end_object();
  return line;
}

}  // namespace gpusched
