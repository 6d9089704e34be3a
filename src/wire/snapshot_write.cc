#include <algorithm>

#include "core/apply/learn.h"
#include "core/explain/excerpt.h"
#include "core/state/belief.h"
#include "json/json_writer.h"
#include "wire/snapshot.h"
#include "wire/snapshot_fields.h"
#include "wire/spec.h"
#include "wire/spec_values.h"
#include "wire/tenant.h"

namespace gpusched {
namespace {

std::int64_t us(Wall time) { return time.time_since_epoch().count(); }

void write_rules(JsonWriter& json, Rules rules) {
  json.key("rules").begin_object();
  for_each_rule(rules, [&json](const char* name, auto& value) {
    json.field(name, static_cast<std::int64_t>(number_in(value)));
  });
  json.end_object();
}

void write_view(JsonWriter& json, const CardView& view) {
  json.key("view").begin_object();
  json.field("condition", kConditionNames[static_cast<std::size_t>(view.condition)]);
  json.field("used_bytes", view.used_bytes).field("busy_percent", view.busy_percent);
  json.key("processes").begin_array();
  for (const SeenProcess& process : view.processes) {
    json.begin_object().field("pid", process.pid).field("vram_bytes", process.vram_bytes);
    json.field("load_percent", process.load_percent).field("ignored", process.ignored);
    if (process.attempt) {
      json.field("job", process.attempt->job).field("attempt", process.attempt->number);
    }
    json.end_object();
  }
  json.end_array().end_object();
}

void write_move_rates(JsonWriter& json, const MoveRates* known) {
  if (known == nullptr) return;
  MoveRates rates = *known;
  for_each_move_number(rates, [&json](const char* name, auto& value) {
    json.field(name, static_cast<std::int64_t>(number_in(value)));
  });
}

void write_card(JsonWriter& json, const StateView& machine, std::size_t position) {
  const Card& card = machine.cards()[position];
  json.begin_object().field("number", number_of(card.number)).field("uuid", card.uuid);
  json.field("model", card.model).field("vram_bytes", card.vram_bytes);
  json.field("reserved_vram_bytes", card.reserved_vram_bytes).field("usable", card.usable);
  json.field("managed", card.managed).field("alias", card.alias);
  write_strings(json, "tags", card.tags);
  json.field("vram_cap_bytes", card.vram_cap_bytes).field("jobs_most", card.jobs_most);
  json.field("sharing", card.sharing).field("share_cap_percent", card.share_cap_percent);
  json.field("headroom_bytes", card.headroom_bytes).field("link_group", card.link_group);
  json.field("granted", machine.seen().turns.of(card.number)).field("moves", card.moves);
  write_move_rates(json, machine.rates_of(card.number));
  write_view(json, machine.view_of(position));
  json.end_object();
}

void write_reservation(JsonWriter& json, const Reservation& reservation) {
  json.begin_object().field("id", reservation.id).field("name", reservation.name);
  json.field("user", reservation.user).field("tenant", reservation.tenant);
  write_strings(json, "cards", reservation.cards);
  json.field("from_us", us(reservation.from)).field("until_us", us(reservation.until)).end_object();
}

// One that is back on its cards is said with the same words; most of them mean nothing then.
void write_aside(JsonWriter& json, const Presence& presence) {
  const OnCards* back = presence.back();
  const Aside aside = back != nullptr ? Aside{.since = back->since} : *presence.aside();
  const bool still = back != nullptr ? back->stood_still : aside.why == AsideWhy::kStill;
  json.key("aside").begin_object().field("mechanism", mechanism_name(aside.mechanism));
  json.field("by_hand", aside.by_hand).field("idle", aside.why == AsideWhy::kIdle);
  json.field("wanted", aside.wanted).field("ends", aside.ends);
  json.field("refused", presence.refused).field("still", still);
  json.field("pressed", aside.why == AsideWhy::kPressure).field("for", number_of(aside.for_job));
  json.field("since_us", us(aside.since)).field("away_us", presence.away.count());
  json.field("host_bytes", aside.host_bytes)
      .field("over_limit_until_us", us(aside.over_limit_until.value_or(Wall{})))
      .end_object();
}

void write_grant(JsonWriter& json, const Grant& grant) {
  json.key("grant").begin_object().field("cpus", grant.cpus).field("ram_bytes", grant.ram_bytes);
  json.field("mps", grant.mps).key("cards").begin_array();
  for (const CardGrant& held : grant.cards) {
    json.begin_object().field("card", number_of(held.card)).field("vram_bytes", held.vram_bytes);
    json.field("share_percent", held.share_percent).field("whole", held.whole).end_object();
  }
  json.end_array().end_object();
}

// What was set for a tenant and what it has used, as in the store.
void write_tenant(JsonWriter& json, const std::string& name, const TenantRule& rule,
                  const TenantUsage& usage) {
  json.begin_object().field("name", name).field("rule", tenant_rule_to_json(rule));
  json.field("usage", tenant_usage_to_json(usage)).end_object();
}

void write_job(JsonWriter& json, const StateView& machine, const Job& job, bool guarded) {
  JobSpec spec = *job.spec;
  // Its command is nobody's business, so what is believed of it from past runs is said as its need.
  const Needs needs = needs_now(machine, job);
  if (!needs.beliefs.empty()) {
    spec.needs.vram_bytes = needs.beliefs.front().vram_bytes;
    spec.needs.share_percent = needs.beliefs.front().share_percent;
  }
  spec.argv = {"job"};
  spec.shell = false;
  spec.working_directory = "/";
  spec.limits = nullptr;
  SpecExtras& extras = spec.extras.edit();
  extras.output_path.clear();
  extras.error_path.clear();
  extras.key.clear();
  extras.variables.clear();
  extras.shell_program.clear();
  json.begin_object().field("id", job.id).field("user", job.owner.user);
  json.field("uid", job.owner.uid).field("tenant", job.tenant).field("priority", job.priority);
  json.field("submitted_us", us(job.submitted_at)).field("attempt", job.attempt);
  json.field("failures", job.failures).field("state", state_name(job.state));
  if (!job.place.unset()) {
    json.field("place_us", us(job.place->at)).field("place_rank", job.place->rank);
  }
  if (job.task) json.field("array", job.task->array).field("index", job.task->index);
  if (guarded) json.field("guarded", true);
  if (const auto* queued = std::get_if<Queued>(&job.state); queued && queued->retry_boot) {
    json.field("retry_boot_us", queued->retry_boot->time_since_epoch().count());
  }
  if (const auto* starting = std::get_if<Starting>(&job.state)) {
    json.field("started_us", us(starting->decided_at));
  }
  if (const auto* running = std::get_if<Running>(&job.state)) {
    json.field("started_us", us(running->started_at));
    if (running->presence) write_aside(json, *running->presence);
  }
  if (job.active()) write_grant(json, *grant_of(job));
  json.key("spec").raw(spec_to_json(spec)).end_object();
}

}  // namespace

std::string snapshot_to_json(const Excerpt& excerpt) {
  std::string out;
  JsonWriter json(out);
  const StateView& machine = excerpt.machine;
  json.begin_object().field("schema", 1).field("snapshot", 1);
  json.field("wall_us", us(excerpt.now.wall));
  json.field("boot_us", excerpt.now.boot.time_since_epoch().count());
  write_rules(json, machine.rules());
  json.key("host").begin_object().field("cpus", machine.host().cpus);
  json.field("ram_bytes", machine.host().ram_bytes);
  json.field("jobs_most", machine.host().jobs_most).end_object();
  json.key("cards").begin_array();
  for (std::size_t i = 0; i < machine.cards().size(); ++i) {
    write_card(json, machine, i);
  }
  json.end_array().key("drains").begin_array();
  for (const auto& [uuid, drain] : machine.drains()) json.value(uuid);
  json.end_array().key("groups").begin_array();
  for (const auto& [name, group] : machine.groups()) {
    json.begin_object().field("name", name).field("limit", group.limit);
    json.field("paused", group.paused).end_object();
  }
  json.end_array().key("reservations").begin_array();
  for (const auto& [id, reservation] : machine.reservations()) write_reservation(json, reservation);
  json.end_array().key("calendar").begin_array();
  for (const Reservation& reservation : machine.calendar()) write_reservation(json, reservation);
  const ConfiguredTenants& configured = machine.tenants().configured();
  json.end_array().key("tenant_rules").begin_array();
  for (const auto& [name, rule] : configured.rules) write_tenant(json, name, rule, {});
  json.end_array().key("tenants").begin_array();
  for (const auto& [name, entry] : machine.tenants().entries()) {
    if (entry.kept) write_tenant(json, name, entry.kept->rule, entry.kept->usage);
  }
  json.end_array().key("jobs").begin_array();
  for (const Job& job : excerpt.jobs) {
    write_job(json, machine, job, job.task && machine.guarded(job.task->array));
  }
  json.end_array().field("left_out", excerpt.left_out).end_object();
  return out;
}

}  // namespace gpusched
