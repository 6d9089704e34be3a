// GET /v1/jobs/{selector}/events and the stream GET /v1/events
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "api/answers.h"
#include "api/cursor.h"
#include "api/event_stream.h"
#include "api/routes/routes.h"
#include "api/veil.h"
#include "base/number.h"
#include "base/text.h"
#include "wire/message_json.h"
#include "wire/messages/jobs.h"

namespace gpusched {
namespace {

// Each is a question to the store; more jobs than this are better followed by the stream.
constexpr std::size_t kJobsMost = 1000;
constexpr std::size_t kEntriesPerJob = 10'000;

constexpr std::string_view kTrailCursor = "trail ";

struct TrailPage {
  std::uint64_t after = 0;  // The last sequence that the client has.
  std::optional<std::uint64_t> limit = {};
};

Result<TrailPage> parse_trail_page(const std::map<std::string, std::string>& query) {
  Result<std::optional<std::uint64_t>> after = query_number(query, "after", INT64_MAX);
  if (!after) return failure(after.error());
  Result<std::optional<std::uint64_t>> limit = query_number(query, "limit", kEntriesPerJob);
  if (!limit) return failure(limit.error());
  if (*limit && **limit == 0) return failure(ErrorCode::kInvalid, "limit must be at least 1");
  TrailPage page{.after = after->value_or(0), .limit = *limit};
  const auto cursor = query.find("cursor");
  if (cursor == query.end()) return page;
  if (*after) return failure(ErrorCode::kInvalid, "give either after or cursor, not both");
  const std::string opened = opened_cursor(cursor->second).value_or("");
  const bool ours = opened.starts_with(kTrailCursor) &&
                    whole_number(std::string_view(opened).substr(kTrailCursor.size()), page.after);
  if (!ours || page.after > INT64_MAX) {
    return failure(ErrorCode::kInvalid,
                   "this cursor is none that was given for events; begin again without it");
  }
  return page;
}

// Reads the trails of several jobs one after the other.
class TrailAnswer : public std::enable_shared_from_this<TrailAnswer> {
 public:
  TrailAnswer(Context& context, const Call& call, std::vector<JobId> jobs, TrailPage page)
      : context_(context), call_(call), jobs_(std::move(jobs)), page_(page) {}

  void next() {
    if (position_ == jobs_.size()) return send();
    const JobId job = jobs_[position_++];
    // One more than the page has: so it is known whether another follows.
    const std::size_t most = page_.limit ? std::size_t{*page_.limit} + 1 : kEntriesPerJob;
    context_.ports.read_trail(job, page_.after, most,
                              [self = shared_from_this()](Result<std::vector<TrailEntry>> read) {
                                if (!read) return self->call_.responder.fail(read.error());
                                self->add(std::move(*read));
                                self->next();
                              });
  }

 private:
  void add(std::vector<TrailEntry> read) {
    std::ranges::move(read, std::back_inserter(entries_));
    if (!page_.limit || entries_.size() <= *page_.limit + 1) return;
    // What is on later pages is not kept.
    std::ranges::sort(entries_, {}, &TrailEntry::sequence);
    entries_.resize(*page_.limit + 1);
  }

  void send() {
    std::ranges::sort(entries_, {}, &TrailEntry::sequence);
    HttpResponse response = json_response({});
    wire::Trail answer;
    if (page_.limit && entries_.size() > *page_.limit) {
      entries_.resize(*page_.limit);
      answer.next = sealed_cursor(fmt::format("{}{}", kTrailCursor, entries_.back().sequence));
      response.headers.push_back(next_link(call_.request, answer.next));
    }
    answer.events.reserve(entries_.size());
    const Veil veil(context_, call_.actor);
    for (TrailEntry& entry : entries_) {
      const bool shown = !is_private(entry);
      answer.events.push_back({.sequence = entry.sequence,
                               .job = number_of(entry.job),
                               .at = entry.at,
                               .attempt = entry.attempt,
                               .kind = std::move(entry.kind),
                               .text = shown ? veil.over(std::move(entry.text)) : std::string()});
    }
    response.body = wire::to_json(answer);
    call_.responder.send(std::move(response));
  }

  // How an attempt ended, and what it runs now, may name files; that is its owner's business.
  bool is_private(const TrailEntry& entry) const {
    const Job* job = context_.state().find(entry.job);
    const Subject owner = job == nullptr ? Subject{} : owned_by(job->owner);
    if (may(call_.actor, Action::kSeeArguments, owner, context_.limits.arguments_for_all))
      return false;
    return entry.kind == "failed" || entry.kind == "requeued" || entry.kind == "queued" ||
           entry.kind == "lost" || entry.kind == "changed" || entry.kind == "cancelled";
  }

  Context& context_;
  Call call_;
  std::vector<JobId> jobs_;
  TrailPage page_;
  std::size_t position_ = 0;
  std::vector<TrailEntry> entries_;
};

}  // namespace

void get_trail(Context& context, Call call) {
  Result<TrailPage> page = parse_trail_page(call.request.query);
  if (!page) return call.responder.fail(page.error());
  Result<std::vector<JobId>> jobs = selected_jobs(context, call);
  if (!jobs) return call.responder.fail(jobs.error());
  if (jobs->size() > kJobsMost) {
    return call.responder.fail(
        {ErrorCode::kTooLarge,
         fmt::format("the events of at most {} jobs can be asked for at once", kJobsMost)});
  }
  std::make_shared<TrailAnswer>(context, call, std::move(*jobs), *page)->next();
}

}  // namespace gpusched
