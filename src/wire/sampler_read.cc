#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <type_traits>

#include "base/text.h"
#include "json/json_value.h"
#include "wire/sample_fields.h"
#include "wire/sampler_lines.h"

namespace gpusched {
namespace {

using namespace watch;

// Takes fields out of one object. The first one that is of the wrong form is kept as a fault;
// those that nobody asks for are passed over: a newer writer may know more.
class Take {
 public:
  Take(const JsonValue& object, std::string& fault) : object_(object), fault_(fault) {
    if (object.as<JsonObject>() == nullptr) wrong("the line", "an object");
  }

  template <class T>
  void operator()(std::string_view name, std::optional<T>& field) const {
    if (const JsonValue* found = find(name)) {
      T value{};
      read(name, *found, value);
      field = value;
    }
  }
  template <class T>
  void operator()(std::string_view name, T& field) const {
    if (const JsonValue* found = find(name)) read(name, *found, field);
  }
  // A field without which the line means nothing.
  template <class T>
  void must(std::string_view name, T& field) const {
    if (find(name) == nullptr) wrong(name, "there");
    (*this)(name, field);
  }
  // `each(take)` for every object of a list.
  template <class Each>
  void list(std::string_view name, Each each) const {
    const JsonValue* found = find(name);
    if (found == nullptr) return;
    const auto* elements = found->as<JsonArray>();
    if (elements == nullptr) return wrong(name, "a list");
    for (const JsonValue& element : *elements) each(Take(element, fault_));
  }
  template <class Each>
  void object(std::string_view name, Each each) const {
    if (const JsonValue* found = find(name)) each(Take(*found, fault_));
  }
  template <class Each>
  void words(std::string_view name, Each each) const {
    const JsonValue* found = find(name);
    if (found == nullptr) return;
    const auto* elements = found->as<JsonArray>();
    if (elements == nullptr) return wrong(name, "a list");
    for (const JsonValue& element : *elements) {
      const auto* word = element.as<std::string>();
      if (word == nullptr) return wrong(name, "a list of strings");
      each(*word);
    }
  }
  bool has(std::string_view name) const { return find(name) != nullptr; }
  void attempt(std::optional<AttemptId>& field) const {
    if (!has("job") || !has("attempt")) return;
    std::uint64_t job = 0;
    AttemptId id;
    (*this)("job", job);
    (*this)("attempt", id.number);
    id.job = JobId{job};
    field = id;
  }

 private:
  const JsonValue* find(std::string_view name) const {
    const JsonValue* found = object_.find(name);
    return found == nullptr || found->null() ? nullptr : found;
  }
  void wrong(std::string_view name, std::string_view what) const {
    if (fault_.empty()) fault_ = fmt::format("{} must be {}", name, what);
  }

  void read(std::string_view name, const JsonValue& value, std::string& field) const {
    const auto* text = value.as<std::string>();
    text != nullptr ? void(field = *text) : wrong(name, "a string");
  }
  void read(std::string_view name, const JsonValue& value, bool& field) const {
    const auto* fact = value.as<bool>();
    fact != nullptr ? void(field = *fact) : wrong(name, "true or false");
  }
  void read(std::string_view name, const JsonValue& value, double& field) const {
    if (const auto* number = value.as<double>()) {
      field = *number;
    } else if (const auto* whole = value.as<std::uint64_t>()) {
      field = static_cast<double>(*whole);
    } else if (const auto* negative = value.as<std::int64_t>()) {
      field = static_cast<double>(*negative);
    } else {
      wrong(name, "a number");
    }
  }
  template <class T>
  requires std::is_integral_v<T>
  void read(std::string_view name, const JsonValue& value, T& field) const {
    const auto* number = value.as<std::uint64_t>();
    if (number == nullptr || *number > static_cast<std::uint64_t>(std::numeric_limits<T>::max())) {
      return wrong(name, fmt::format("a whole number up to {}", std::numeric_limits<T>::max()));
    }
    field = static_cast<T>(*number);
  }
  void read(std::string_view name, const JsonValue& value, CardNumber& field) const {
    std::uint16_t number = 0;
    read(name, value, number);
    field = CardNumber{number};
  }
  void read(std::string_view name, const JsonValue& value, Boot& field) const {
    std::int64_t count = 0;
    read(name, value, count);
    field = Boot{Microseconds{count}};
  }
  void read(std::string_view name, const JsonValue& value, std::chrono::milliseconds& field) const {
    std::uint32_t count = 0;
    read(name, value, count);
    field = std::chrono::milliseconds{count};
  }
  void read(std::string_view name, const JsonValue& value, Wall& field) const {
    const auto* text = value.as<std::string>();
    const auto time = text != nullptr ? parse_rfc3339(*text) : failure(ErrorCode::kInvalid, "");
    time ? void(field = *time) : wrong(name, "a time");
  }
  template <class E>
  requires std::is_enum_v<E>
  void read(std::string_view name, const JsonValue& value, E& field) const {
    const auto* text = value.as<std::string>();
    const auto& words = WordsOf<E>::words;
    const auto found = text != nullptr ? std::ranges::find(words, *text) : words.end();
    if (found == words.end()) return wrong(name, "a known word");
    field = static_cast<E>(found - words.begin());
  }

  const JsonValue& object_;
  std::string& fault_;
};

void take_time(const Take& take, Now& at) {
  take.must("at", at.wall);
  take.must("boot_us", at.boot);
}

template <class CardReport>
CardReport take_card(const Take& take) {
  CardReport report;
  take.must("card", report.card);
  take("uuid", report.uuid);
  take_time(take, report.at);
  return report;
}

CardsReport take_cards(const Take& take) {
  CardsReport report;
  take.list("cards", [&](const Take& each) {
    NumberedCard card;
    each.must("number", card.number);
    each_identity_field(card.identity, each);
    each.words("nvlink_neighbours",
               [&](const std::string& pci) { card.identity.nvlink_neighbours.push_back(pci); });
    each("backend", card.backend);
    report.cards.push_back(std::move(card));
  });
  take.list("backends", [&](const Take& each) {
    BackendState backend;
    each.must("name", backend.name);
    each("driver_version", backend.driver_version);
    each("trouble", backend.trouble);
    each("absent", backend.absent);
    report.backends.push_back(std::move(backend));
  });
  return report;
}

WatchedProcess take_process(const Take& take) {
  WatchedProcess process;
  each_process_field(process, take);
  take.must("pid", process.seen.pid);
  take.attempt(process.owner.attempt);
  take("alive", process.owner.alive);
  take.object("container", [&](const Take& each) {
    Container container;
    each.must("kind", container.kind);
    each("id", container.id);
    each("pod", container.pod);
    each("group", container.group);
    process.owner.container = std::move(container);
  });
  return process;
}

SampleReport take_sample(const Take& take) {
  auto report = take_card<SampleReport>(take);
  take("cause", report.cause);
  take.object("sample", [&](const Take& each) {
    each_sample_field(report.sample, each);
    if (!each.has("throttle")) return;
    report.sample.throttle = 0;
    // A word that is not known is a reason that we have no name for.
    each.words("throttle", [&](const std::string& word) {
      const auto found = std::ranges::find(kThrottleWords, word);
      if (found == kThrottleWords.end()) return;
      *report.sample.throttle |= 1U << (found - kThrottleWords.begin());
    });
  });
  if (!take.has("processes")) return report;
  report.processes.emplace();
  take.list("processes",
            [&](const Take& each) { report.processes->push_back(take_process(each)); });
  return report;
}

EventReport take_event(const Take& take) {
  EventReport report;
  take("card", report.card);
  take("uuid", report.event.uuid);
  take_time(take, report.at);
  take.must("kind", report.event.kind);
  take("number", report.event.number);
  return report;
}

EndedReport take_ended(const Take& take) {
  auto report = take_card<EndedReport>(take);
  take.list("processes", [&](const Take& each) {
    EndedProcess process;
    each_account_field(process.account, each);
    each.must("pid", process.account.pid);
    each.attempt(process.attempt);
    report.processes.push_back(process);
  });
  return report;
}

Report take_report(const std::string& type, const Take& take) {
  if (type == "cards") return take_cards(take);
  if (type == "sample") return take_sample(take);
  if (type == "unknown") {
    auto report = take_card<UnknownReport>(take);
    take("reason", report.reason);
    return report;
  }
  if (type == "asleep") return take_card<AsleepReport>(take);
  if (type == "gone") {
    auto report = take_card<GoneReport>(take);
    take("reason", report.reason);
    return report;
  }
  if (type == "event") return take_event(take);
  if (type == "ended") return take_ended(take);
  if (type == "complaint") {
    ComplaintReport report;
    take.must("sentence", report.sentence);
    return report;
  }
  return OtherReport{type};
}

Order take_order(const std::string& type, const Take& take) {
  if (type == "period") {
    PeriodOrder order;
    take("busy", order.busy);
    take("busy_ms", order.busy_period);
    take("idle_ms", order.idle_period);
    take("deadline_ms", order.deadline);
    return order;
  }
  if (type == "sample_now") {
    SampleNowOrder order;
    take("card", order.card);
    return order;
  }
  if (type == "jobs") {
    JobsOrder order;
    take("cgroup", order.cgroup);
    take.list("attempts", [&](const Take& each) {
      std::optional<AttemptId> attempt;
      RunningAttempt running;
      each.attempt(attempt);
      each.must("shim", running.shim);
      each("uid", running.uid);
      if (!attempt) return;
      running.attempt = *attempt;
      order.attempts.push_back(running);
    });
    return order;
  }
  if (type == "quit") return QuitOrder{};
  return OtherOrder{type};
}

template <class T>
Result<T> read_line(std::string_view line, T (*take_it)(const std::string&, const Take&)) {
  if (line.size() > kSamplerLineMost) {
    return failure(ErrorCode::kTooLarge, "a line of more than 1 MiB");
  }
  const Result<JsonValue> value = parse_json(line);
  if (!value) return failure(value.error());
  std::string fault;
  const Take take(*value, fault);
  int version = 0;
  std::string type;
  take.must("v", version);
  take.must("type", type);
  if (fault.empty() && version != 1) fault = fmt::format("version {} is not known", version);
  if (!fault.empty()) return failure(ErrorCode::kInvalid, fault);
  T read = take_it(type, take);
  if (!fault.empty()) return failure(ErrorCode::kInvalid, fmt::format("{}: {}", type, fault));
  return read;
}

}  // namespace

Result<Report> read_report(std::string_view line) { return read_line<Report>(line, take_report); }
Result<Order> read_order(std::string_view line) { return read_line<Order>(line, take_order); }

}  // namespace gpusched
