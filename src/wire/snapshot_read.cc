#include <limits>

#include "core/explain/excerpt.h"
#include "json/json_fields.h"
#include "json/json_value.h"
#include "wire/snapshot.h"
#include "wire/snapshot_fields.h"
#include "wire/spec_fields.h"
#include "wire/tenant.h"

namespace gpusched {
namespace {

constexpr std::uint64_t kLargestNumber = std::numeric_limits<std::int64_t>::max();
constexpr int kIntMost = std::numeric_limits<int>::max();

std::uint64_t whole(Fields& fields, std::string_view name) {
  std::uint64_t value = 0;
  fields.number(name, value, 0, kLargestNumber);
  return value;
}
Wall wall(Fields& fields, std::string_view name) {
  return Wall{Microseconds{static_cast<std::int64_t>(whole(fields, name))}};
}
template <class T>
void maybe_number(Fields& fields, std::string_view name, std::optional<T>& out) {
  std::uint64_t value = 0;
  if (fields.number(name, value, 0, kLargestNumber)) out = static_cast<T>(value);
}

// Every element of a list, as an object; its faults become those of the whole.
template <class Read>
void each(Fields& fields, std::string_view name, Read read) {
  const JsonArray* list = fields.list(name);
  if (list == nullptr) return;
  for (const JsonValue& element : *list) {
    Fields inner(element, std::string(name) + ".");
    read(inner);
    inner.close();
    fields.merge_fault(inner);
    if (fields.failed()) return;
  }
}

template <class Read>
void object(Fields& fields, std::string_view name, Read read) {
  const JsonValue* value = fields.value(name);
  if (value == nullptr) return;
  Fields inner(*value, std::string(name) + ".");
  read(inner);
  inner.close();
  fields.merge_fault(inner);
}

void maybe_percent(Fields& fields, std::string_view name, std::optional<double>& into) {
  const JsonValue* value = fields.value(name);
  if (value == nullptr) return;
  if (const auto* real = value->as<double>()) into = *real;
  if (const auto* number = value->as<std::uint64_t>()) into = static_cast<double>(*number);
}

CardView read_view(Fields& fields, Now now) {
  CardView view;
  view.at = now;
  std::size_t condition = 0;
  fields.word("condition", {kConditionNames.begin(), kConditionNames.end()}, condition);
  view.condition = static_cast<CardCondition>(condition);
  maybe_number(fields, "used_bytes", view.used_bytes);
  maybe_percent(fields, "busy_percent", view.busy_percent);
  each(fields, "processes", [&view](Fields& from) {
    SeenProcess& process = view.processes.emplace_back();
    from.number("pid", process.pid, 0, kIntMost);
    maybe_number(from, "vram_bytes", process.vram_bytes);
    maybe_percent(from, "load_percent", process.load_percent);
    from.flag("ignored", process.ignored);
    AttemptId attempt{JobId{whole(from, "job")}, 0};
    if (from.number("attempt", attempt.number, 0, kIntMost)) process.attempt = attempt;
  });
  return view;
}

struct SeenCard {
  Card card;
  CardView view;
  std::uint64_t granted = 0;  // By turns.
  MoveRates rates = {};
};
SeenCard read_card(Fields& fields, Now now) {
  SeenCard seen;
  Card& card = seen.card;
  card.number = CardNumber{static_cast<std::uint16_t>(whole(fields, "number"))};
  fields.text("uuid", card.uuid);
  fields.text("model", card.model);
  fields.number("vram_bytes", card.vram_bytes, 0, kLargestNumber);
  fields.number("reserved_vram_bytes", card.reserved_vram_bytes, 0, card.vram_bytes);
  fields.flag("usable", card.usable);
  fields.flag("managed", card.managed);
  fields.text("alias", card.alias);
  fields.texts("tags", card.tags);
  maybe_number(fields, "vram_cap_bytes", card.vram_cap_bytes);
  maybe_number(fields, "jobs_most", card.jobs_most);
  bool sharing = true;
  if (fields.flag("sharing", sharing)) card.sharing = sharing;
  maybe_number(fields, "share_cap_percent", card.share_cap_percent);
  maybe_number(fields, "headroom_bytes", card.headroom_bytes);
  maybe_number(fields, "link_group", card.link_group);
  fields.flag("moves", card.moves);
  fields.number("granted", seen.granted, 0, kLargestNumber);
  seen.rates.uuid = card.uuid;
  for_each_move_number(seen.rates, [&fields](const char* name, auto& value) {
    std::uint64_t number = 0;
    if (fields.number(name, number, 0, kLargestNumber)) set_number(value, number);
  });
  object(fields, "view", [&](Fields& from) { seen.view = read_view(from, now); });
  return seen;
}

Reservation read_reservation(Fields& fields) {
  Reservation reservation;
  reservation.id = whole(fields, "id");
  fields.text("name", reservation.name);
  fields.text("user", reservation.user);
  fields.text("tenant", reservation.tenant);
  fields.texts("cards", reservation.cards);
  reservation.from = wall(fields, "from_us");
  reservation.until = wall(fields, "until_us");
  return reservation;
}

Grant read_grant(Fields& fields) {
  Grant grant;
  object(fields, "grant", [&grant](Fields& from) {
    from.number("cpus", grant.cpus, 0, kIntMost);
    from.number("ram_bytes", grant.ram_bytes, 0, kLargestNumber);
    from.flag("mps", grant.mps);
    each(from, "cards", [&grant](Fields& card) {
      CardGrant& held = grant.cards.emplace_back();
      held.card = CardNumber{static_cast<std::uint16_t>(whole(card, "card"))};
      card.number("vram_bytes", held.vram_bytes, 0, kLargestNumber);
      card.number("share_percent", held.share_percent, 0, 100);
      card.flag("whole", held.whole);
    });
  });
  return grant;
}

std::shared_ptr<const JobSpec> read_spec(Fields& fields) {
  auto spec = std::make_shared<JobSpec>();
  object(fields, "spec",
         [&spec](Fields& from) { read_spec_fields(from, *spec, SpecSource::kStore); });
  spec->environment = std::make_shared<const Environment>();
  return spec;
}

std::shared_ptr<const Presence> read_presence(Fields& fields, std::optional<AsidePhase> phase) {
  std::shared_ptr<Presence> presence;
  object(fields, "aside", [&](Fields& from) {
    presence = std::make_shared<Presence>();
    Aside aside;
    std::string mechanism;
    from.text("mechanism", mechanism);
    aside.mechanism = mechanism_named(mechanism).value_or(Mechanism::kFreeze);
    from.flag("by_hand", aside.by_hand);
    const auto because = [&](const char* name, AsideWhy why) {
      bool is = false;
      from.flag(name, is);
      if (is) aside.why = why;
    };
    because("idle", AsideWhy::kIdle);
    from.flag("wanted", aside.wanted);
    from.flag("ends", aside.ends);
    from.flag("refused", presence->refused);
    because("still", AsideWhy::kStill);
    because("pressed", AsideWhy::kPressure);
    aside.for_job = JobId{whole(from, "for")};
    aside.since = wall(from, "since_us");
    presence->away = Microseconds{static_cast<std::int64_t>(whole(from, "away_us"))};
    from.number("host_bytes", aside.host_bytes, 0, kLargestNumber);
    if (const Wall until = wall(from, "over_limit_until_us"); until != Wall{}) {
      aside.over_limit_until = until;
    }
    if (phase) {
      aside.phase = *phase;
      presence->place = aside;
    } else {
      presence->place = OnCards{aside.since, aside.why == AsideWhy::kStill};
    }
  });
  return presence;
}

JobState read_state(Fields& fields) {
  std::size_t which = 1;
  fields.word("state",
              {"held", "queued", "starting", "running", "completed", "failed", "cancelled",
               "pausing", "paused", "resuming"},
              which);
  const Wall started = wall(fields, "started_us");
  Grant grant = read_grant(fields);
  const std::uint64_t retry = whole(fields, "retry_boot_us");
  switch (which) {
    case 0:
      return Held{};
    case 1: {
      Queued queued;
      if (retry > 0) queued.retry_boot = Boot{Microseconds{static_cast<std::int64_t>(retry)}};
      return queued;
    }
    case 2:
      return Starting{.grant = std::move(grant), .decided_at = started};
    case 3:
    case 7:
    case 8:
    case 9: {
      Running running{.grant = std::move(grant), .started_at = started};
      running.presence = read_presence(
          fields, which == 3 ? std::nullopt : std::optional(static_cast<AsidePhase>(which - 7)));
      return running;
    }
    default:
      return Ended{.outcome = static_cast<Outcome>(which - 4)};
  }
}

Job read_job(Fields& fields, State& machine) {
  Job job;
  job.id = JobId{whole(fields, "id")};
  fields.text("user", job.owner.user);
  job.owner.uid = static_cast<std::uint32_t>(whole(fields, "uid"));
  fields.text("tenant", job.tenant);
  fields.number("priority", job.priority, 0, 100);
  job.submitted_at = wall(fields, "submitted_us");
  fields.number("attempt", job.attempt, 0, kIntMost);
  fields.number("failures", job.failures, 0, kIntMost);
  job.state = read_state(fields);
  job.spec = read_spec(fields);
  std::uint64_t rank = 0;
  if (fields.number("place_rank", rank, 1, kLargestNumber)) {
    job.place = QueuePlace{wall(fields, "place_us"), JobId{rank}};
  }
  std::uint64_t array = 0;
  if (fields.number("array", array, 1, kLargestNumber)) {
    auto task = std::make_shared<ArrayTask>();
    task->array = JobId{array};
    task->index = static_cast<std::uint32_t>(whole(fields, "index"));
    job.task = std::move(task);
  }
  bool guarded = false;
  if (fields.flag("guarded", guarded) && guarded && job.task) {
    machine.guard_array(job.task->array, true);
  }
  return job;
}

// What cannot be read is left out: a snapshot is for a question, not for the record.
Tenant read_tenant(Fields& fields) {
  Tenant tenant;
  std::string rule, usage;
  fields.text("name", tenant.name);
  fields.text("rule", rule);
  fields.text("usage", usage);
  if (auto read = tenant_rule_from_json(rule)) tenant.rule = std::move(*read);
  if (auto read = tenant_usage_from_json(usage)) tenant.usage = std::move(*read);
  return tenant;
}

void read_machine(Fields& fields, Excerpt& excerpt) {
  Rules rules;
  object(fields, "rules", [&rules](Fields& from) {
    for_each_rule(rules, [&from](const char* name, auto& value) {
      std::uint64_t number = 0;
      if (from.number(name, number, 0, kLargestNumber)) set_number(value, number);
    });
  });
  HostCapacity host;
  object(fields, "host", [&host](Fields& from) {
    from.number("cpus", host.cpus, 0, kIntMost);
    from.number("ram_bytes", host.ram_bytes, 0, kLargestNumber);
    from.number("jobs_most", host.jobs_most, 0, kIntMost);
  });
  excerpt.machine = State(rules, host);
  std::vector<SeenCard> seen;
  each(fields, "cards", [&](Fields& from) { seen.push_back(read_card(from, excerpt.now)); });
  std::vector<Card> cards;
  for (const SeenCard& one : seen) cards.push_back(one.card);
  excerpt.machine.set_cards(std::move(cards));
  CardTurns turns;
  for (const SeenCard& one : seen) {
    turns.set(one.card.number, one.granted);
    if (one.rates.out.moves + one.rates.back.moves > 0) excerpt.machine.put(one.rates);
  }
  excerpt.machine.seen().turns = std::move(turns);
  std::vector<std::string> drains;
  fields.texts("drains", drains);
  for (std::string& uuid : drains) excerpt.machine.put(Drain{.uuid = std::move(uuid)});
  for (const SeenCard& one : seen) {
    if (one.view.condition == CardCondition::kUnseen) continue;
    excerpt.machine.observe(one.card.number, one.view);
  }
  each(fields, "groups", [&excerpt](Fields& from) {
    Group group;
    from.text("name", group.name);
    from.number("limit", group.limit, 0, kIntMost);
    from.flag("paused", group.paused);
    excerpt.machine.put(std::move(group));
  });
  each(fields, "reservations",
       [&excerpt](Fields& from) { excerpt.machine.put(read_reservation(from)); });
  std::vector<Reservation> calendar;
  each(fields, "calendar",
       [&calendar](Fields& from) { calendar.push_back(read_reservation(from)); });
  excerpt.machine.set_calendar(std::move(calendar));
  ConfiguredTenants configured;
  each(fields, "tenant_rules", [&configured](Fields& from) {
    Tenant tenant = read_tenant(from);
    configured.rules[tenant.name] = std::move(tenant.rule);
  });
  excerpt.machine.configure_tenants(std::move(configured));
  each(fields, "tenants", [&excerpt](Fields& from) { excerpt.machine.put(read_tenant(from)); });
}

}  // namespace

Result<Excerpt> snapshot_from_json(std::string_view text) {
  Result<JsonValue> value = parse_json(text);
  if (!value) return failure(value.error());
  Fields fields(*value);
  std::uint64_t version = 0;
  if (whole(fields, "schema") != 1 || !fields.number("snapshot", version, 1, 1)) {
    return failure(ErrorCode::kInvalid, "this is not a snapshot of gpusched");
  }
  Excerpt excerpt{.machine = State(), .jobs = {}, .now = {}};
  excerpt.now.wall = wall(fields, "wall_us");
  excerpt.now.boot = Boot{Microseconds{static_cast<std::int64_t>(whole(fields, "boot_us"))}};
  read_machine(fields, excerpt);
  each(fields, "jobs",
       [&](Fields& from) { excerpt.jobs.push_back(read_job(from, excerpt.machine)); });
  excerpt.left_out = whole(fields, "left_out");
  if (Result<void> read = fields.finish(); !read) return failure(read.error());
  excerpt.machine.keep_changes();
  return excerpt;
}

}  // namespace gpusched
