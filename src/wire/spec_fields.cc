#include "wire/spec_fields.h"

#include <fmt/format.h>

#include <limits>

namespace gpusched {
namespace {

void read_resource_limits(Fields& fields, std::shared_ptr<const ResourceLimits>& limits) {
  const JsonArray* list = fields.list("resource_limits");
  if (list == nullptr || list->empty()) return;
  ResourceLimits read;
  for (const JsonValue& element : *list) {
    Fields inner(element, "resource_limits.");
    ResourceLimit limit;
    constexpr std::uint64_t kLimitMost = std::numeric_limits<std::uint64_t>::max();
    if (!inner.number("resource", limit.resource, 0, 31)) inner.fault("resource", "is missing");
    if (!inner.number("soft", limit.soft, 0, kLimitMost)) inner.fault("soft", "is missing");
    if (!inner.number("hard", limit.hard, 0, kLimitMost)) inner.fault("hard", "is missing");
    inner.close();
    fields.adopt(inner);
    if (fields.failed()) return;
    read.push_back(limit);
  }
  limits = std::make_shared<const ResourceLimits>(std::move(read));
}

void read_after(Fields& fields, std::vector<Dependency>& after) {
  const JsonArray* list = fields.list("after");
  if (list == nullptr) return;
  for (const JsonValue& element : *list) {
    Fields inner(element, "after.");
    std::uint64_t job = 0;
    std::size_t kind = 0;
    if (!inner.number("job", job, 1, std::numeric_limits<std::uint64_t>::max() - 1)) {
      inner.fault("job", "is missing");
    }
    inner.word("kind", {"ok", "any", "fail"}, kind);
    inner.close();
    fields.adopt(inner);
    if (fields.failed()) return;
    after.push_back({JobId{job}, static_cast<DependencyKind>(kind)});
  }
}

void read_time_rule(Fields& fields, TimeRule& time) {
  fields.seconds("time_limit_s", time.limit);
  fields.seconds("grace_s", time.grace);
  if (const JsonValue* signal = fields.value("signal")) {
    Fields inner(*signal, "signal.");
    if (!inner.number("number", time.warn_signal, 1, 64)) inner.fault("number", "is missing");
    inner.seconds("before_s", time.warn_before);
    inner.close();
    fields.adopt(inner);
  }
}

void read_save_terms(Fields& fields, std::shared_ptr<const SaveTerms>& saves) {
  const JsonValue* given = fields.value("checkpoint");
  if (given == nullptr) return;
  Fields inner(*given, "checkpoint.");
  auto terms = std::make_shared<SaveTerms>();
  inner.number("signal", terms->signal, 0, 64);
  inner.seconds("grace_s", terms->grace);
  inner.close();
  fields.adopt(inner);
  saves = std::move(terms);
}

void read_retry_rule(Fields& fields, RetryRule& retry) {
  fields.number("retries", retry.retries, 0, kRetriesMost);
  fields.seconds("retry_back_off_s", retry.back_off);
  std::vector<std::string> names;
  if (!fields.texts("retry_causes", names)) return;
  retry.causes = 0;
  for (const std::string& name : names) {
    const std::optional<Cause> cause = cause_named(name);
    if (!cause) {
      fields.fault("retry_causes", fmt::format("has \"{}\", which is no cause", name));
      return;
    }
    retry.causes |= cause_bit(*cause);
  }
}

}  // namespace

void read_needs(Fields& fields, Needs& needs) {
  read_card_count(fields, needs.gpus);
  fields.number("vram_bytes", needs.vram_bytes, 0, kBytesMost);
  fields.number("share_percent", needs.share_percent, 0, 100);
  fields.flag("exclusive", needs.exclusive);
  CardFilter cards = *needs.cards;
  read_card_list(fields, "only_cards", cards.only);
  read_card_list(fields, "avoid_cards", cards.avoid);
  fields.text("card_type", cards.type);
  needs.cards = std::move(cards);
  if (!fields.number("cpus", needs.cpus, 0, kCpusMost)) needs.cpus = needs.wants_cards() ? 0 : 1;
  fields.number("ram_bytes", needs.ram_bytes, 0, kBytesMost);
  read_cpu_use(fields, needs.cpu_use);
}

namespace {

void read_terminal(Fields& fields, RareAsks& rare) {
  if (const JsonValue* terminal = fields.value("terminal")) {
    Fields inner(*terminal, "terminal.");
    inner.number("rows", rare.terminal_rows, 0, 65535);
    inner.number("columns", rare.terminal_columns, 0, 65535);
    inner.close();
    fields.adopt(inner);
  }
}

void read_rare_asks(Fields& fields, RareAsks& rare) {
  fields.texts("tags", rare.tags);
  fields.text("key", rare.key);
  read_after(fields, rare.after);
  fields.time("begin", rare.begin);
  fields.time("expire", rare.expire);
  fields.time("deadline", rare.deadline);
  fields.number("vram_limit_bytes", rare.vram_limit_bytes, 0, kBytesMost);
  fields.text("output_path", rare.output_path);
  fields.text("error_path", rare.error_path);
  read_terminal(fields, rare);
}

}  // namespace

bool read_card_count(Fields& fields, CardCount& count) {
  const JsonValue* gpus = fields.value("gpus");
  if (gpus == nullptr) return false;
  const auto fault = [&] {
    fields.fault("gpus", fmt::format("must be a number from 0 to {}, \"all\", or "
                                     "{{\"least\":…,\"most\":…}}",
                                     kCardsMost));
    return false;
  };
  const auto* word = gpus->as<std::string>();
  if (word != nullptr && *word == "all") {
    count = {1, CardCount::kAllCards};
    return true;
  }
  if (const std::optional<std::uint64_t> number = whole_number(*gpus)) {
    if (*number > kCardsMost) return fault();
    count = {static_cast<int>(*number), static_cast<int>(*number)};
    return true;
  }
  if (gpus->as<JsonObject>() == nullptr) return fault();
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
  fields.adopt(inner);
  if (fields.failed()) return false;
  count = read;
  return true;
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

bool read_cpu_use(Fields& fields, CpuUse& use) {
  std::size_t position = 0;
  if (!fields.word("cpu_use", {"never", "prefer", "fallback"}, position)) return false;
  use = static_cast<CpuUse>(position);
  return true;
}

void read_spec_fields(Fields& fields, JobSpec& spec) {
  fields.texts("command", spec.argv);
  fields.flag("shell", spec.shell);
  fields.text("working_directory", spec.working_directory);
  int umask = static_cast<int>(spec.umask);
  fields.number("umask", umask, 0, 0777);
  spec.umask = static_cast<std::uint32_t>(umask);
  read_resource_limits(fields, spec.limits);
  fields.text("name", spec.name);
  fields.text("group", spec.group);
  fields.text("project", spec.project);
  read_needs(fields, spec.needs);
  read_time_rule(fields, spec.time);
  read_save_terms(fields, spec.saves);
  read_retry_rule(fields, spec.retry);
  fields.flag("restartable", spec.restartable);
  std::size_t preempt = 0;
  if (fields.word("preempt", {"auto", "cooperative", "never"}, preempt)) {
    spec.preempt = static_cast<PreemptPolicy>(preempt);
  }
  std::size_t attach = 0;
  if (fields.word("attach", {"none", "pipes", "pty"}, attach)) {
    spec.attach = static_cast<Attach>(attach);
  }
  RareAsks rare = *spec.rare;
  read_rare_asks(fields, rare);
  spec.rare = std::move(rare);
}

}  // namespace gpusched
