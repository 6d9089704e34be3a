#include "wire/needs.h"

namespace gpusched {
namespace {

void write_cards(JsonWriter& json, std::string_view name, const CardList& cards) {
  json.key(name).begin_array();
  for (const CardNumber card : cards.numbers) json.value(number_of(card));
  for (const std::string& word : cards.names) json.value(word);
  json.end_array();
}

}  // namespace

void write_strings(JsonWriter& json, std::string_view name, const std::vector<std::string>& list) {
  json.key(name).begin_array();
  for (const std::string& text : list) json.value(text);
  json.end_array();
}

void write_needs_fields(JsonWriter& json, const Needs& needs) {
  json.key("gpus").begin_object().field("least", needs.gpus.least).key("most");
  if (needs.gpus.all()) {
    json.value("all");
  } else {
    json.value(needs.gpus.most);
  }
  json.end_object();
  json.field("vram_bytes", needs.vram_bytes).field("share_percent", needs.share_percent);
  json.field("exclusive", needs.exclusive).field("cpus", needs.cpus);
  json.field("ram_bytes", needs.ram_bytes).field("cpu_use", cpu_use_name(needs.cpu_use));
  write_cards(json, "only_cards", needs.cards->only);
  write_cards(json, "avoid_cards", needs.cards->avoid);
  json.field("card_type", needs.cards->type);
}

void write_after(JsonWriter& json, const std::vector<Dependency>& after) {
  json.key("after").begin_array();
  for (const Dependency& dependency : after) {
    json.begin_object().field("job", dependency.job);
    json.field("kind", dependency_name(dependency.kind)).end_object();
  }
  json.end_array();
}

void write_warn_signal(JsonWriter& json, std::string_view name, const TimeRule& time) {
  json.key(name);
  if (time.warn_signal == 0) {
    json.null();
    return;
  }
  json.begin_object().field("number", time.warn_signal);
  json.field("before_s", time.warn_before).end_object();
}

void write_save_terms(JsonWriter& json, const SaveTerms* saves) {
  json.key("checkpoint");
  if (saves == nullptr) {
    json.null();
    return;
  }
  json.begin_object().field("signal", saves->signal).field("grace_s", saves->grace).end_object();
}

std::vector<std::string> cause_names(CauseSet causes) {
  std::vector<std::string> names;
  for (const Cause cause : kAllCauses) {
    if ((causes & cause_bit(cause)) != 0) names.emplace_back(cause_name(cause));
  }
  return names;
}

const char* cpu_use_name(CpuUse use) {
  switch (use) {
    case CpuUse::kNever:
      return "never";
    case CpuUse::kPrefer:
      return "prefer";
    case CpuUse::kFallback:
      return "fallback";
  }
  return "never";
}

const char* preempt_name(PreemptPolicy policy) {
  switch (policy) {
    case PreemptPolicy::kAuto:
      return "auto";
    case PreemptPolicy::kCooperative:
      return "cooperative";
    case PreemptPolicy::kNever:
      return "never";
  }
  return "auto";
}

const char* attach_name(Attach attach) {
  switch (attach) {
    case Attach::kNone:
      return "none";
    case Attach::kPipes:
      return "pipes";
    case Attach::kPty:
      return "pty";
  }
  return "none";
}

const char* dependency_name(DependencyKind kind) {
  switch (kind) {
    case DependencyKind::kOk:
      return "ok";
    case DependencyKind::kAny:
      return "any";
    case DependencyKind::kFail:
      return "fail";
  }
  return "ok";
}

}  // namespace gpusched
