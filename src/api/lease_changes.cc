#include "api/lease_changes.h"

#include <fmt/format.h>

#include <iterator>
#include <set>
#include <utility>

#include "api/context.h"
#include "api/lease_answer.h"
#include "core/model/kind.h"
#include "http/types.h"

namespace gpusched {
namespace {

constexpr std::size_t kUntoldMost = 10'000;

// One that waits has nothing to tell yet.
bool is_news(const Job& job) { return job.active() || job.ended(); }

}  // namespace

struct LeaseChanges::Client : std::enable_shared_from_this<LeaseChanges::Client> {
  Client(Context& a_context, const Call& call)
      : context(a_context), actor(call.actor), responder(call.responder) {}

  Pull pull(std::string& out) {
    if (context.after_commit.must_wait()) {
      if (!std::exchange(wakes_later, true)) {
        context.after_commit.run_later(kNobody, [weak = weak_from_this()] {
          const auto self = weak.lock();
          if (!self) return;
          self->wakes_later = false;
          self->responder.wake();
        });
      }
      return Pull::kWait;
    }
    if (fell_behind) return Pull::kAbort;
    while (!untold.empty() && out.size() < context.limits.stream_bytes) {
      const JobId id = *untold.begin();
      untold.erase(untold.begin());
      const Job* job = context.state().find(id);
      if (job == nullptr) {
        // It ended, and ended leases are kept for a while only.
        out +=
            fmt::format(R"({{"schema":1,"lease":{{"id":{},"state":"forgotten"}}}})", number_of(id));
      } else if (is_news(*job)) {
        out += lease_json(context, actor, *job);
      } else {
        continue;
      }
      out += '\n';
    }
    return untold.empty() ? Pull::kWait : Pull::kMore;
  }

  Context& context;
  Principal actor;
  Responder responder;
  std::set<JobId> untold;
  bool fell_behind = false;
  bool wakes_later = false;
};

void LeaseChanges::follow(Context& context, const Call& call) {
  const int process = call.actor.is_by_token() ? 0 : call.request.peer.pid;
  if (process <= 0) {
    return call.responder.fail(
        {ErrorCode::kInvalid, "your process cannot be seen from here (another process namespace)"});
  }
  for (auto it = by_process_.begin(); it != by_process_.end();) {
    std::erase_if(it->second, [](const auto& client) { return client.expired(); });
    it = it->second.empty() ? by_process_.erase(it) : std::next(it);
  }
  auto client = std::make_shared<Client>(context, call);
  by_process_[process].push_back(client);
  context.lasting.add(call.actor, call.responder);
  HttpResponse response;
  response.content_type = "application/x-ndjson";
  // The connection keeps the client.
  response.stream = [client](std::string& out) { return client->pull(out); };
  call.responder.send(std::move(response));
}

void LeaseChanges::tell(const StateView& state, const std::vector<JobChange>& changes) {
  if (by_process_.empty()) return;
  for (const JobChange& change : changes) {
    const Job* job = state.find(change.job);
    if (job == nullptr || !kind_of(*job).has_holder || job->spec->lease->by_connection) continue;
    if (!is_news(*job)) continue;
    const auto found = by_process_.find(job->spec->lease->pid);
    if (found == by_process_.end()) continue;
    for (const auto& weak : found->second) {
      const auto client = weak.lock();
      if (!client) continue;
      client->fell_behind = client->fell_behind || client->untold.size() >= kUntoldMost;
      if (!client->fell_behind) client->untold.insert(change.job);
      client->responder.wake();
    }
  }
}

}  // namespace gpusched
