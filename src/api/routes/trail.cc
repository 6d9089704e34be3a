// GET /v1/jobs/{selector}/events and the stream GET /v1/events
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "api/answers.h"
#include "api/event_stream.h"
#include "api/routes/routes.h"
#include "wire/message_json.h"
#include "wire/messages/jobs.h"

namespace gpusched {
namespace {

// Each is a question to the store; more jobs than this are better followed by the stream.
constexpr std::size_t kJobsMost = 1000;
constexpr std::size_t kEntriesPerJob = 10'000;

// Reads the trails of several jobs one after the other.
class TrailAnswer : public std::enable_shared_from_this<TrailAnswer> {
 public:
  TrailAnswer(Context& context, const Call& call, std::vector<JobId> jobs, std::uint64_t after)
      : context_(context),
        actor_(call.actor),
        responder_(call.responder),
        jobs_(std::move(jobs)),
        after_(after) {}

  void next() {
    if (position_ == jobs_.size()) return send();
    const JobId job = jobs_[position_++];
    context_.ports.read_trail(job, after_, kEntriesPerJob,
                              [self = shared_from_this()](Result<std::vector<TrailEntry>> read) {
                                if (!read) return self->responder_.fail(read.error());
                                std::ranges::move(*read, std::back_inserter(self->entries_));
                                self->next();
                              });
  }

 private:
  void send() {
    std::ranges::sort(entries_, {}, &TrailEntry::sequence);
    wire::Trail answer;
    answer.events.reserve(entries_.size());
    for (TrailEntry& entry : entries_) {
      const bool shown = !is_private(entry);
      answer.events.push_back({.sequence = entry.sequence,
                               .job = number_of(entry.job),
                               .at = entry.at,
                               .attempt = entry.attempt,
                               .kind = std::move(entry.kind),
                               .text = shown ? std::move(entry.text) : std::string()});
    }
    responder_.send(json_response(wire::to_json(answer)));
  }

  // How an attempt ended, and what it runs now, may name files; that is its owner's business.
  bool is_private(const TrailEntry& entry) const {
    const Job* job = context_.state().find(entry.job);
    const Subject owner = job == nullptr ? Subject{} : owned_by(job->owner);
    if (may(actor_, Action::kSeeArguments, owner, context_.limits.arguments_for_all)) return false;
    return entry.kind == "failed" || entry.kind == "requeued" || entry.kind == "queued" ||
           entry.kind == "lost" || entry.kind == "changed" || entry.kind == "cancelled";
  }

  Context& context_;
  Principal actor_;
  Responder responder_;
  std::vector<JobId> jobs_;
  std::uint64_t after_;
  std::size_t position_ = 0;
  std::vector<TrailEntry> entries_;
};

}  // namespace

void get_trail(Context& context, Call call) {
  Result<std::optional<std::uint64_t>> after = query_number(call.request.query, "after", INT64_MAX);
  if (!after) return call.responder.fail(after.error());
  Result<std::vector<JobId>> jobs = selected_jobs(context, call);
  if (!jobs) return call.responder.fail(jobs.error());
  if (jobs->size() > kJobsMost) {
    return call.responder.fail(
        {ErrorCode::kTooLarge,
         fmt::format("the events of at most {} jobs can be asked for at once", kJobsMost)});
  }
  std::make_shared<TrailAnswer>(context, call, std::move(*jobs), after->value_or(0))->next();
}

void stream_events(Context& context, Call call) {
  std::map<std::string, std::string> query = call.request.query;
  // A client that comes back says so in a header; that is newer than what its address says.
  if (const auto last = call.request.headers.find("last-event-id");
      last != call.request.headers.end() && !last->second.empty()) {
    query["after"] = last->second;
  }
  Result<std::optional<std::uint64_t>> after = query_number(query, "after", INT64_MAX);
  if (!after) return call.responder.fail(after.error());
  EventsAsked asked{call.actor, *after, std::nullopt};
  const auto jobs = query.find("jobs");
  if (jobs != query.end() && jobs->second == "all") {
    asked.own = true;
  } else if (jobs != query.end()) {
    call.captured = {jobs->second};
    Result<std::vector<JobId>> ids = selected_jobs(context, call);
    if (!ids) return call.responder.fail(ids.error());
    asked.jobs.emplace(ids->begin(), ids->end());
  }
  context.events->open(context, std::move(asked), call.responder);
}

}  // namespace gpusched
