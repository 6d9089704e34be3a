// GET /v1/tenants and /v1/tenants/{name}; PUT, PATCH and DELETE of what is set at run time.
#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "api/answers.h"
#include "api/routes/routes.h"
#include "api/veil.h"
#include "core/share/fair_share.h"
#include "core/state/state.h"
#include "wire/labels.h"
#include "wire/message_json.h"
#include "wire/messages/tenant.h"
#include "wire/tenant.h"

namespace gpusched {
namespace {

std::optional<std::uint64_t> limit_of(std::uint64_t limit) {
  return limit == kNoLimit ? std::nullopt : std::optional(limit);
}

wire::Quota quota_of(const TenantTerms& terms) {
  return {.cards = limit_of(terms.cards),
          .vram_bytes = limit_of(terms.vram_bytes),
          .running = limit_of(terms.running),
          .queued = limit_of(terms.queued),
          .gpu_hours = terms.gpu_hours.gpu_seconds == kNoLimit ? std::string()
                                                               : gpu_hours_text(terms.gpu_hours),
          .time_limit_s = limit_of(terms.time_limit_s),
          .highest_priority = terms.highest_priority};
}

// Tenants of one state, written one by one.
class TenantRows {
 public:
  // `rules` says what holds; a dry run gives others than the state's own.
  TenantRows(const StateView& state, const TenantBook& rules, Now now, const Veil& veil)
      : state_(state), rules_(rules), now_(now), veil_(veil), shares_(shares_of(state, now)) {}

  wire::Tenant row(const std::string& name) const {
    const TenantTerms terms = rules_.terms_of(name);
    const TenantBook::Entry* entry = state_.tenants().find(name);
    const TenantHolds holds = entry != nullptr ? entry->holds : TenantHolds{};
    wire::Tenant row{.name = name,
                     .weight = terms.weight,
                     .quota = quota_of(terms),
                     .set = rules_.rule_of(name),
                     .running = holds.running,
                     .cards = holds.cards,
                     .vram_bytes = holds.vram_bytes,
                     .waiting = state_.waiting_of(name)};
    for (const auto& [user, tenant] : rules_.configured().tenant_of_user) {
      if (tenant == name && veil_.sees_user(user)) row.users.push_back(user);
    }
    fill_in_share(row);
    if (terms.gpu_hours.gpu_seconds != kNoLimit) {
      const bool kept = entry != nullptr && entry->kept;
      row.gpu_hours_used =
          kept ? used_in_period(entry->kept->usage, entry->rate, terms.gpu_hours, now_) / 3600
               : 0.0;
    }
    for (const ProjectShare& share : project_shares_of(state_, name, now_)) {
      row.projects.push_back({share.project, share.weight, share.usage, share.due, share.got});
    }
    return row;
  }

  // All that are known: by the configuration, by what was set, by what they did or do.
  std::set<std::string> names() const {
    std::set<std::string> names;
    for (const auto& [name, rule] : state_.tenants().configured().rules) names.insert(name);
    for (const auto& [name, entry] : state_.tenants().entries()) names.insert(name);
    std::erase_if(names, [this](const std::string& name) {
      return name != kDefaultTenant && !veil_.sees_tenant(name);
    });
    return names;
  }

 private:
  void fill_in_share(wire::Tenant& row) const {
    const auto share =
        std::ranges::find_if(shares_, [&](const Share& one) { return *one.tenant == row.name; });
    if (share == shares_.end()) return;
    row.usage_gpu_seconds = share->usage;
    row.share_due = share->due;
    row.share_got = share->got;
    row.below_share = share->below();
  }

  const StateView& state_;
  const TenantBook& rules_;
  Now now_;
  const Veil& veil_;
  std::vector<Share> shares_;
};

std::string tenants_json(const StateView& state, Now now, const Veil& veil,
                         const std::optional<std::string>& only,
                         const TenantBook* tried = nullptr) {
  const TenantRows rows(state, tried != nullptr ? *tried : state.tenants(), now, veil);
  wire::Tenants answer{.dry_run = tried != nullptr};
  if (only) {
    answer.tenants.push_back(rows.row(*only));
  } else {
    for (const std::string& name : rows.names()) answer.tenants.push_back(rows.row(name));
  }
  return wire::to_json(answer);
}

// What the change would come to, tried on a state that has nothing but tenants.
std::string would_be(const StateView& state, const Event& event, const std::string& name, Now now,
                     const Veil& veil) {
  State part(state.rules(), state.host());
  part.configure_tenants(state.tenants().configured());
  for (const auto& [tenant, entry] : state.tenants().entries()) {
    if (entry.kept) part.put(*entry.kept);
  }
  (void)apply(part, event, now);
  return tenants_json(state, now, veil, name, &part.tenants());
}

void change_tenant(Context& context, const Call& call, const std::string& name, Event event) {
  ask_engine(context, call, event, [&context, call, name, event](const Result<Answer>& answer) {
    if (!answer) return call.responder.fail(answer.error());
    const StateView& state = context.state();
    const Now now = context.now();
    const Veil veil(context, call.actor);
    call.responder.send(json_response(call.dry_run ? would_be(state, event, name, now, veil)
                                                   : tenants_json(state, now, veil, name)));
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
  call.responder.send(json_response(
      tenants_json(context.state(), context.now(), Veil(context, call.actor), std::nullopt)));
}

void show_tenant(Context& context, Call call) {
  const std::string name = call.captured.at(0);
  if (!is_name(call, name)) return;
  const Veil veil(context, call.actor);
  // As one of whom nothing is known. Its name is the asker's own word.
  if (name != kDefaultTenant && !veil.sees_tenant(name)) {
    return call.responder.fail({ErrorCode::kNotFound, "there is no tenant of yours of that name"});
  }
  call.responder.send(json_response(tenants_json(context.state(), context.now(), veil, name)));
}

void replace_tenant(Context& context, Call call) { set_rule(context, call, true); }
void set_tenant(Context& context, Call call) { set_rule(context, call, false); }

void unset_tenant(Context& context, Call call) {
  const std::string name = call.captured.at(0);
  change_tenant(context, call, name, TenantUnsetAsked{call.actor, name});
}

}  // namespace gpusched
