#include "wire/spec_values.h"

#include <fmt/format.h>

#include <array>
#include <limits>

namespace gpusched {
namespace {

constexpr std::size_t kCardNameMost = 200;

// The words of an enumeration, in its order.
constexpr std::array<std::string_view, 3> kCpuUses = {"never", "prefer", "fallback"};
constexpr std::array<std::string_view, 3> kPreemptions = {"auto", "cooperative", "never"};
constexpr std::array<std::string_view, 3> kAttachments = {"none", "pipes", "pty"};
constexpr std::array<std::string_view, 3> kDependencies = {"ok", "any", "fail"};

template <class Enum>
std::string_view word_of(Enum value, const std::array<std::string_view, 3>& words) {
  return words[static_cast<std::size_t>(value)];
}

template <class Enum>
bool read_word(Fields& fields, std::string_view name, const std::array<std::string_view, 3>& words,
               Enum& out) {
  std::size_t position = 0;
  if (!fields.word(name, {words.begin(), words.end()}, position)) return false;
  out = static_cast<Enum>(position);
  return true;
}

// Closes an inner object and hands its faults to the outer one.
bool take(Fields& fields, Fields& inner) {
  inner.close();
  fields.merge_fault(inner);
  return !fields.failed();
}

}  // namespace

void write_value(JsonWriter& json, const std::vector<std::string>& texts, Plain) {
  json.begin_array();
  for (const std::string& text : texts) json.value(text);
  json.end_array();
}

void write_strings(JsonWriter& json, std::string_view name, const std::vector<std::string>& list) {
  json.key(name);
  write_value(json, list, Plain{});
}

void write_value(JsonWriter& json, const CardCount& count, Plain) {
  json.begin_object().field("least", count.least).key("most");
  if (count.all()) {
    json.value("all");
  } else {
    json.value(count.most);
  }
  json.end_object();
}

void write_value(JsonWriter& json, const CardList& cards, Plain) {
  json.begin_array();
  for (const CardNumber card : cards.numbers) json.value(number_of(card));
  for (const std::string& name : cards.names) json.value(name);
  json.end_array();
}

void write_value(JsonWriter& json, CpuUse use, Plain) { json.value(word_of(use, kCpuUses)); }
void write_value(JsonWriter& json, PreemptPolicy policy, Plain) {
  json.value(word_of(policy, kPreemptions));
}
void write_value(JsonWriter& json, Attach attach, Plain) {
  json.value(word_of(attach, kAttachments));
}

void write_value(JsonWriter& json, const std::vector<Dependency>& after, Plain) {
  json.begin_array();
  for (const Dependency& dependency : after) {
    json.begin_object().field("job", dependency.job);
    json.field("kind", word_of(dependency.kind, kDependencies)).end_object();
  }
  json.end_array();
}

void write_value(JsonWriter& json, CauseSet causes, Plain) {
  json.begin_array();
  for (const Cause cause : kAllCauses) {
    if (has_cause(causes, cause)) json.value(cause_name(cause));
  }
  json.end_array();
}

void write_value(JsonWriter& json, const std::shared_ptr<const ResourceLimits>& limits, Plain) {
  json.begin_array();
  for (const ResourceLimit& limit : limits ? *limits : ResourceLimits()) {
    json.begin_object().field("resource", limit.resource).field("soft", limit.soft);
    json.field("hard", limit.hard).end_object();
  }
  json.end_array();
}

void write_value(JsonWriter& json, const std::shared_ptr<const SaveTerms>& saves, Plain) {
  if (!saves) {
    json.null();
    return;
  }
  json.begin_object().field("signal", saves->signal).field("grace_s", saves->grace).end_object();
}

void write_value(JsonWriter& json, const TimeRule& time, AsWarnSignal) {
  if (time.warn_signal == 0) {
    json.null();
    return;
  }
  json.begin_object().field("number", time.warn_signal);
  json.field("before_s", time.warn_before).end_object();
}

void write_value(JsonWriter& json, const SpecExtras& extras, AsTerminal) {
  json.begin_object().field("rows", extras.terminal_rows);
  json.field("columns", extras.terminal_columns).end_object();
}

void write_value(JsonWriter& json, int limit, AsArrayLimit) {
  json.begin_object().field("limit", limit).end_object();
}

bool read_value(const FieldAsked& asked, std::string& out, Plain) {
  return asked.fields.text(asked.name, out);
}
bool read_value(const FieldAsked& asked, std::vector<std::string>& out, Plain) {
  return asked.fields.texts(asked.name, out);
}
bool read_value(const FieldAsked& asked, bool& out, Plain) {
  return asked.fields.flag(asked.name, out);
}
bool read_value(const FieldAsked& asked, int& out, Plain) {
  return asked.fields.number(asked.name, out, 0, static_cast<int>(asked.terms.most));
}
bool read_value(const FieldAsked& asked, std::uint64_t& out, Plain) {
  return asked.fields.number(asked.name, out, 0, asked.terms.most);
}
bool read_value(const FieldAsked& asked, std::uint32_t& out, Plain) {
  std::uint64_t wide = 0;
  if (!read_value(asked, wide, Plain{})) return false;
  out = static_cast<std::uint32_t>(wide);
  return true;
}
bool read_value(const FieldAsked& asked, Seconds& out, Plain) {
  return asked.fields.seconds(asked.name, out);
}
bool read_value(const FieldAsked& asked, std::optional<Wall>& out, Plain) {
  return asked.fields.time(asked.name, out);
}

// A number, "all", or {"least","most"}.
bool read_value(const FieldAsked& asked, CardCount& out, Plain) {
  auto& [fields, name, terms] = asked;
  const JsonValue* gpus = fields.value(name);
  if (gpus == nullptr) return false;
  const auto* word = gpus->as<std::string>();
  if (word != nullptr && *word == "all") {
    out = {1, CardCount::kAllCards};
    return true;
  }
  const std::optional<std::uint64_t> number = whole_number(*gpus);
  if (number && *number <= kCardsMost) {
    out = {static_cast<int>(*number), static_cast<int>(*number)};
    return true;
  }
  if (gpus->as<JsonObject>() == nullptr) {
    fields.fault(name, fmt::format("must be a number from 0 to {}, \"all\", or "
                                   "{{\"least\":…,\"most\":…}}",
                                   kCardsMost));
    return false;
  }
  Fields inner(*gpus, "gpus.");
  CardCount read;
  if (!inner.number("least", read.least, 0, kCardsMost)) inner.fault("least", "is missing");
  const JsonValue* most = gpus->find("most");
  const auto* most_word = most == nullptr ? nullptr : most->as<std::string>();
  if (most_word != nullptr && *most_word == "all") {
    (void)inner.value("most");
    read.most = CardCount::kAllCards;
  } else if (!inner.number("most", read.most, 0, kCardsMost)) {
    read.most = read.least;
  }
  inner.close();
  if (read.most < read.least) inner.fault("most", "must not be less than gpus.least");
  if (read.least == 0 && read.most != 0) {
    inner.fault("least", "must be at least 1 unless gpus.most is 0");
  }
  if (!take(fields, inner)) return false;
  out = read;
  return true;
}

bool read_value(const FieldAsked& asked, CardList& out, Plain) {
  return read_card_list(asked.fields, asked.name, out);
}

bool read_card_list(Fields& fields, std::string_view name, CardList& cards) {
  const JsonArray* list = fields.list(name);
  if (list == nullptr) return false;
  CardList read;
  for (const JsonValue& element : *list) {
    const auto* word = element.as<std::string>();
    if (word != nullptr && !word->empty() && word->size() <= kCardNameMost) {
      read.names.push_back(*word);
      continue;
    }
    const std::optional<std::uint64_t> number = whole_number(element);
    if (!number || *number > std::numeric_limits<std::uint16_t>::max()) {
      fields.fault(name, "must be a list of card numbers, aliases and tags");
      return false;
    }
    read.numbers.push_back(static_cast<CardNumber>(*number));
  }
  cards = std::move(read);
  return true;
}

bool read_value(const FieldAsked& asked, CpuUse& out, Plain) {
  return read_word(asked.fields, asked.name, kCpuUses, out);
}
bool read_value(const FieldAsked& asked, PreemptPolicy& out, Plain) {
  return read_word(asked.fields, asked.name, kPreemptions, out);
}
bool read_value(const FieldAsked& asked, Attach& out, Plain) {
  return read_word(asked.fields, asked.name, kAttachments, out);
}

bool read_value(const FieldAsked& asked, std::vector<Dependency>& out, Plain) {
  const JsonArray* list = asked.fields.list(asked.name);
  if (list == nullptr) return false;
  std::vector<Dependency> read;
  for (const JsonValue& element : *list) {
    Fields inner(element, "after.");
    std::uint64_t job = 0;
    Dependency dependency;
    if (!inner.number("job", job, 1, std::numeric_limits<std::uint64_t>::max() - 1)) {
      inner.fault("job", "is missing");
    }
    read_word(inner, "kind", kDependencies, dependency.kind);
    if (!take(asked.fields, inner)) return false;
    dependency.job = JobId{job};
    read.push_back(dependency);
  }
  out = std::move(read);
  return true;
}

bool read_value(const FieldAsked& asked, CauseSet& out, Plain) {
  std::vector<std::string> names;
  if (!asked.fields.texts(asked.name, names)) return false;
  CauseSet read{};
  for (const std::string& name : names) {
    const std::optional<Cause> cause = cause_named(name);
    if (!cause) {
      asked.fields.fault(asked.name, fmt::format("has \"{}\", which is no cause", name));
      return false;
    }
    read = read | cause_bit(*cause);
  }
  out = read;
  return true;
}

bool read_value(const FieldAsked& asked, std::shared_ptr<const ResourceLimits>& out, Plain) {
  const JsonArray* list = asked.fields.list(asked.name);
  if (list == nullptr || list->empty()) return false;
  ResourceLimits read;
  for (const JsonValue& element : *list) {
    Fields inner(element, "resource_limits.");
    ResourceLimit limit;
    constexpr std::uint64_t kLimitMost = std::numeric_limits<std::uint64_t>::max();
    if (!inner.number("resource", limit.resource, 0, 31)) inner.fault("resource", "is missing");
    if (!inner.number("soft", limit.soft, 0, kLimitMost)) inner.fault("soft", "is missing");
    if (!inner.number("hard", limit.hard, 0, kLimitMost)) inner.fault("hard", "is missing");
    if (!take(asked.fields, inner)) return false;
    read.push_back(limit);
  }
  out = std::make_shared<const ResourceLimits>(std::move(read));
  return true;
}

bool read_value(const FieldAsked& asked, std::shared_ptr<const SaveTerms>& out, Plain) {
  const JsonValue* given = asked.fields.value(asked.name);
  if (given == nullptr) return false;
  Fields inner(*given, "checkpoint.");
  SaveTerms terms;
  inner.number("signal", terms.signal, 0, 64);
  inner.seconds("grace_s", terms.grace);
  if (!take(asked.fields, inner)) return false;
  out = std::make_shared<const SaveTerms>(terms);
  return true;
}

bool read_value(const FieldAsked& asked, TimeRule& out, AsWarnSignal) {
  const JsonValue* signal = asked.fields.value(asked.name);
  if (signal == nullptr) return false;
  Fields inner(*signal, "signal.");
  if (!inner.number("number", out.warn_signal, 1, 64)) inner.fault("number", "is missing");
  inner.seconds("before_s", out.warn_before);
  return take(asked.fields, inner);
}

bool read_value(const FieldAsked& asked, SpecExtras& out, AsTerminal) {
  const JsonValue* terminal = asked.fields.value(asked.name);
  if (terminal == nullptr) return false;
  Fields inner(*terminal, "terminal.");
  inner.number("rows", out.terminal_rows, 0, 65535);
  inner.number("columns", out.terminal_columns, 0, 65535);
  return take(asked.fields, inner);
}

bool read_value(const FieldAsked& asked, int& out, AsArrayLimit) {
  const JsonValue* array = asked.fields.value(asked.name);
  if (array == nullptr) return false;
  Fields inner(*array, "array.");
  inner.number("limit", out, 0, static_cast<int>(asked.terms.most));
  return take(asked.fields, inner);
}

}  // namespace gpusched
