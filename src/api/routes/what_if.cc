// POST /v1/whatif
#include <fmt/format.h>

#include <utility>

#include "api/answers.h"
#include "api/routes/routes.h"
#include "api/veil.h"
#include "api/what_if.h"
#include "wire/message_json.h"
#include "wire/messages/what_if.h"

namespace gpusched {
namespace {

constexpr std::size_t kAddedMost = 64;
constexpr std::size_t kTenantsMost = 100;

// Its cards that jobs may get, all of them in service.
replay::Machine machine_now(const StateView& state) {
  replay::Machine machine{
      .nodes = 1, .cards_per_node = 0, .cards = state.cards(), .host = state.host()};
  std::erase_if(machine.cards, [](const Card& card) { return !card.managed; });
  for (Card& card : machine.cards) {
    card.usable = true;
    card.drained = false;
  }
  machine.cards_per_node = machine.total();
  return machine;
}

// Who may not know of a tenant hears the same as if it had no jobs.
Result<void> check_names(const Veil& veil, const wire::WhatIfRequest& asked) {
  const auto hidden = [&](const char* field, const std::string& tenant) -> Result<void> {
    if (tenant.empty() || veil.sees_tenant(tenant)) return {};
    return failure(ErrorCode::kNotFound, replay::no_jobs_of(field, tenant));
  };
  if (auto seen = hidden("without_tenant", asked.without_tenant); !seen) return seen;
  for (const auto& [tenant, unused] : asked.priority_of) {
    if (auto seen = hidden("priority_of", tenant); !seen) return seen;
  }
  return {};
}

Result<void> check_sizes(const wire::WhatIfRequest& asked) {
  if (asked.since < Seconds{1}) {
    return failure(ErrorCode::kInvalid, "since_s must be at least 1");
  }
  if (asked.add_cards.size() > kAddedMost) {
    return failure(ErrorCode::kInvalid,
                   fmt::format("add_cards has {}; at most {} can be tried at once",
                               asked.add_cards.size(), kAddedMost));
  }
  if (asked.priority_of.size() > kTenantsMost) {
    return failure(ErrorCode::kInvalid,
                   fmt::format("priority_of names more than {} tenants", kTenantsMost));
  }
  return {};
}

}  // namespace

void ask_what_if(Context& context, Call call) {
  const std::string& body = call.request.body;
  auto request = wire::read_request<wire::WhatIfRequest>(body.empty() ? "{}" : body);
  if (!request) return call.responder.fail(request.error());
  if (auto right = check_sizes(*request); !right) return call.responder.fail(right.error());
  auto seen = check_names(Veil(context, call.actor), *request);
  if (!seen) return call.responder.fail(seen.error());
  replay::WhatIf asked;
  asked.machine = machine_now(context.state());
  asked.rules = context.state().rules();
  asked.add_cards = std::move(request->add_cards);
  asked.remove_cards = std::move(request->remove_cards);
  if (!request->policy.empty()) asked.policy = std::move(request->policy);
  asked.cap_percent = request->cap_percent;
  asked.without_tenant = std::move(request->without_tenant);
  asked.priority_of.insert(request->priority_of.begin(), request->priority_of.end());
  if (auto machine = replay::changed_machine(asked); !machine) {
    return call.responder.fail(machine.error());
  }
  const Wall since = context.now().wall - request->since;
  send_what_if(context, call, std::move(asked), since);
}

}  // namespace gpusched
