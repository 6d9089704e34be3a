// GET /v1/tenants and /v1/tenants/{name}; PUT, PATCH and DELETE of what is set at run time.
#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "api/answers.h"
#include "api/routes/routes.h"
#include "core/share/fair_share.h"
#include "core/state/state.h"
#include "json/json_writer.h"
#include "wire/labels.h"
#include "wire/tenant.h"

namespace gpusched {
namespace {

void write_limit(JsonWriter& json, const char* name, std::uint64_t limit) {
  json.key(name);
  if (limit == kNoLimit) {
    json.null();
  } else {
    json.value(limit);
  }
}

void write_quota(JsonWriter& json, const TenantTerms& terms) {
  json.key("quota").begin_object();
  write_limit(json, "cards", terms.cards);
  write_limit(json, "vram_bytes", terms.vram_bytes);
  write_limit(json, "running", terms.running);
  write_limit(json, "queued", terms.queued);
  json.key("gpu_hours");
  if (terms.gpu_hours.gpu_seconds == kNoLimit) {
    json.null();
  } else {
    json.value(gpu_hours_text(terms.gpu_hours));
  }
  write_limit(json, "time_limit_s", terms.time_limit_s);
  json.field("highest_priority", terms.highest_priority);
  json.end_object();
}

// Tenants of one state, written one by one.
class TenantRows {
 public:
  // `rules` says what holds; a dry run gives others than the state's own.
  TenantRows(const StateView& state, const TenantBook& rules, Now now)
      : state_(state), rules_(rules), now_(now), shares_(shares_of(state, now)) {}

  void row(JsonWriter& json, const std::string& name) const {
    const TenantTerms terms = rules_.terms_of(name);
    const TenantBook::Entry* entry = state_.tenants().find(name);
    const TenantHolds holds = entry != nullptr ? entry->holds : TenantHolds{};
    json.begin_object().field("name", name).field("weight", terms.weight);
    write_quota(json, terms);
    json.key("set");
    write_tenant_rule(json, rules_.rule_of(name));
    json.key("users").begin_array();
    for (const auto& [user, tenant] : rules_.configured().tenant_of_user) {
      if (tenant == name) json.value(user);
    }
    json.end_array();
    write_share(json, name);
    json.key("gpu_hours_used");
    if (terms.gpu_hours.gpu_seconds == kNoLimit) {
      json.null();
    } else {
      const bool kept = entry != nullptr && entry->kept;
      json.value(kept
                     ? used_in_period(entry->kept->usage, entry->rate, terms.gpu_hours, now_) / 3600
                     : 0.0);
    }
    json.field("running", holds.running).field("cards", holds.cards);
    json.field("vram_bytes", holds.vram_bytes).field("waiting", state_.waiting_of(name));
    json.key("projects").begin_array();
    for (const ProjectShare& share : project_shares_of(state_, name, now_)) {
      json.begin_object().field("name", share.project).field("weight", share.weight);
      json.field("usage_gpu_seconds", share.usage).field("share_due", share.due);
      json.field("share_got", share.got).end_object();
    }
    json.end_array().end_object();
  }

  // All that are known: by the configuration, by what was set, by what they did or do.
  std::set<std::string> names() const {
    std::set<std::string> names;
    for (const auto& [name, rule] : state_.tenants().configured().rules) names.insert(name);
    for (const auto& [name, entry] : state_.tenants().entries()) names.insert(name);
    return names;
  }

 private:
  void write_share(JsonWriter& json, const std::string& name) const {
    const auto share =
        std::ranges::find_if(shares_, [&](const Share& one) { return *one.tenant == name; });
    if (share == shares_.end()) {
      json.field("usage_gpu_seconds", 0).key("share_due").null().key("share_got").null();
      json.key("below_share").null();
      return;
    }
    json.field("usage_gpu_seconds", share->usage).field("share_due", share->due);
    json.field("share_got", share->got).field("below_share", share->below());
  }

  const StateView& state_;
  const TenantBook& rules_;
  Now now_;
  std::vector<Share> shares_;
};

std::string tenants_json(const StateView& state, Now now, const std::optional<std::string>& only,
                         const TenantBook* tried = nullptr) {
  std::string out;
  JsonWriter json(out);
  const TenantRows rows(state, tried != nullptr ? *tried : state.tenants(), now);
  json.begin_object().field("schema", 1).key("tenants").begin_array();
  if (only) {
    rows.row(json, *only);
  } else {
    for (const std::string& name : rows.names()) rows.row(json, name);
  }
  json.end_array();
  if (tried != nullptr) json.field("dry_run", true);
  json.end_object();
  return out;
}

// What the change would come to, tried on a state that has nothing but tenants.
std::string would_be(const StateView& state, const Event& event, const std::string& name, Now now) {
  State part(state.rules(), state.host());
  part.configure_tenants(state.tenants().configured());
  for (const auto& [tenant, entry] : state.tenants().entries()) {
    if (entry.kept) part.put(*entry.kept);
  }
  (void)apply(part, event, now);
  return tenants_json(state, now, name, &part.tenants());
}

void change_tenant(Context& context, const Call& call, const std::string& name, Event event) {
  ask_engine(context, call, event, [&context, call, name, event](const Result<Answer>& answer) {
    if (!answer) return call.responder.fail(answer.error());
    const StateView& state = context.state();
    const Now now = context.now();
    call.responder.send(json_response(call.dry_run ? would_be(state, event, name, now)
                                                   : tenants_json(state, now, name)));
  });
}

// False if there is no such name; the client has been told.
bool is_name(const Call& call, const std::string& name) {
  auto fault = name.empty() ? std::optional<std::string>("a tenant needs a name")
                            : fault_of_label("the tenant's name", name);
  if (!fault) return true;
  call.responder.fail({ErrorCode::kInvalid, *fault});
  return false;
}

void set_rule(Context& context, const Call& call, bool replace) {
  const std::string name = call.captured.at(0);
  if (!is_name(call, name)) return;
  Result<TenantRule> rule = tenant_rule_from_json(call.request.body);
  if (!rule) return call.responder.fail(rule.error());
  change_tenant(context, call, name, TenantSetAsked{call.actor, name, *rule, replace});
}

}  // namespace

void list_tenants(Context& context, Call call) {
  call.responder.send(json_response(tenants_json(context.state(), context.now(), std::nullopt)));
}

void show_tenant(Context& context, Call call) {
  const std::string name = call.captured.at(0);
  if (!is_name(call, name)) return;
  call.responder.send(json_response(tenants_json(context.state(), context.now(), name)));
}

void replace_tenant(Context& context, Call call) { set_rule(context, call, true); }
void set_tenant(Context& context, Call call) { set_rule(context, call, false); }

void unset_tenant(Context& context, Call call) {
  const std::string name = call.captured.at(0);
  change_tenant(context, call, name, TenantUnsetAsked{call.actor, name});
}

}  // namespace gpusched
