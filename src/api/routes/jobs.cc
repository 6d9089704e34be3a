// GET /v1/jobs, /v1/jobs/{selector}, /v1/overview
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "api/answers.h"
#include "api/cards_answer.h"
#include "api/job_page.h"
#include "api/job_rows.h"
#include "api/routes/routes.h"
#include "api/sweep_rows.h"
#include "api/veil.h"
#include "core/share/order.h"
#include "wire/message_json.h"
#include "wire/messages/jobs.h"

namespace gpusched {
namespace {

constexpr std::size_t kWaitingShown = 20;
constexpr std::uint64_t kWaitingMost = 1000;
constexpr std::size_t kWaitingLooks = 10'000;
constexpr std::size_t kRecentShown = 5;
// Jobs looked at for them: those of one sweep end together.
constexpr std::size_t kRecentLooks = 1000;

// Rows, or one line for each sweep that has a job among them.
class OverviewWriter {
 public:
  OverviewWriter(JsonWriter& json, const StateView& state, RowWriter& rows, bool fold,
                 const Veil& veil)
      : json_(json), state_(state), rows_(rows), fold_(fold), veil_(veil) {}

  WaitingLines waiting_lines() const { return fold_ ? WaitingLines::kSweeps : WaitingLines::kJobs; }

  void running() {
    json_.key("running").begin_array();
    for (const JobId id : state_.active()) add(*state_.find(id));
    json_.end_array();
  }
  void waiting(const std::vector<JobId>& ids, std::size_t most) {
    json_.key("waiting").begin_array();
    for (const JobId id : ids) {
      if (most == 0) break;
      if (add(*state_.find(id))) --most;
    }
    json_.end_array();
  }
  void recent() {
    json_.key("recent").begin_array();
    std::size_t left = kRecentShown;
    std::size_t looks = kRecentLooks;
    for (auto it = state_.ended().rbegin(); it != state_.ended().rend() && left > 0 && looks > 0;
         ++it, --looks) {
      if (add(*state_.find(it->second))) --left;
    }
    json_.end_array();
  }
  // Of what the lists before have left out.
  void sweeps() {
    if (!fold_) return;
    json_.key("sweeps").begin_array();
    for (const SweepLine& line : lines_) rows_.sweep(json_, line);
    json_.end_array();
  }

 private:
  // True: it is a line, or has begun one.
  bool add(const Job& job) {
    if (!veil_.sees(job)) return false;
    if (!fold_ || !state_.in_sweep(job)) {
      rows_.row(json_, job);
      return true;
    }
    const JobId array = job.task->array;
    const auto known = std::ranges::find(lines_, array, &SweepLine::array);
    const bool is_new = known == lines_.end();
    SweepLine& line = is_new ? lines_.emplace_back(whole_sweep(state_, array)) : *known;
    const bool waits = !job.active() && !job.ended();
    if (waits && !line.waits) line.waits = job.id;
    return is_new;
  }

  JsonWriter& json_;
  const StateView& state_;
  RowWriter& rows_;
  bool fold_;
  const Veil& veil_;
  std::vector<SweepLine> lines_;  // Those that run first, then in the order of the queue.
};

// Of the jobs that they may know of. Where others' are only counted, that is all of them.
Counts counts_for(const Context& context, const Principal& actor, const Veil& veil) {
  if (!veil.covers() || veil.shows_counts()) return context.state().counts();
  Counts own;
  for (const JobId id : context.state().newest_of(actor, SIZE_MAX)) {
    ++counter_of(own, context.state().find(id)->state);
  }
  return own;
}

// The whole list, or a page of it, with the fields that are wanted.
void send_asked(Context& context, const Call& call, RowsAsked asked) {
  const auto& query = call.request.query;
  Result<std::optional<FieldChoice>> fields =
      parse_fields(query, asked.details ? RowKind::kDetails : RowKind::kRow);
  if (!fields) return call.responder.fail(fields.error());
  asked.fields = std::move(*fields);
  Result<std::optional<PageAsked>> page = parse_page(query);
  if (!page) return call.responder.fail(page.error());
  if (*page) return send_page(context, call, std::move(asked), std::move(**page));
  send_rows(context, call.actor, std::move(asked), call.responder);
}

}  // namespace

void list_jobs(Context& context, Call call) {
  context.estimates.keep_fresh();
  const auto& query = call.request.query;
  RowsAsked asked;
  Result<JobFilter> filter =
      parse_filter(query, call.actor, context.now().wall, shown_of_others(context));
  if (!filter) return call.responder.fail(filter.error());
  Result<std::optional<std::uint64_t>> limit = query_number(query, "limit", UINT32_MAX);
  if (!limit) return call.responder.fail(limit.error());
  Result<std::optional<std::uint64_t>> newest = query_number(query, "newest", UINT32_MAX);
  if (!newest) return call.responder.fail(newest.error());
  if (*limit && *newest) {
    return call.responder.fail({ErrorCode::kInvalid, "give either limit or newest, not both"});
  }
  if (const auto ids = query.find("ids"); ids != query.end()) {
    Result<Selector> selector = parse_selector(ids->second);
    if (!selector) return call.responder.fail(selector.error());
    Result<std::vector<JobId>> found =
        resolve_selector(context.state(), *selector, *filter, call.actor);
    if (!found) return call.responder.fail(found.error());
    if (*newest && found->size() > **newest) {
      found->erase(found->begin(), found->end() - static_cast<std::ptrdiff_t>(**newest));
    }
    asked.ids = std::move(*found);
  } else {
    asked.newest = *newest;
  }
  asked.filter = std::move(*filter);
  asked.first = *limit;
  Result<Folding> folding = parse_folding(query);
  if (!folding) return call.responder.fail(folding.error());
  asked.folding = *folding;
  send_asked(context, call, std::move(asked));
}

void show_jobs(Context& context, Call call) {
  Result<std::vector<JobId>> ids = selected_jobs(context, call);
  if (!ids) return call.responder.fail(ids.error());
  context.estimates.keep_fresh();
  RowsAsked asked;
  asked.details = true;
  asked.ids = std::move(*ids);
  send_asked(context, call, std::move(asked));
}

void get_overview(Context& context, Call call) {
  context.estimates.keep_fresh();
  Result<std::optional<std::uint64_t>> most =
      query_number(call.request.query, "waiting", kWaitingMost);
  if (!most) return call.responder.fail(most.error());
  Result<Folding> folding = parse_folding(call.request.query);
  if (!folding) return call.responder.fail(folding.error());
  const StateView& state = context.state();
  std::string out;
  JsonWriter json(out);
  RowWriter rows(context, call.actor);
  const Veil veil(context, call.actor);
  OverviewWriter lines(json, state, rows, *folding != Folding::kNone, veil);
  const std::size_t shown = most->value_or(kWaitingShown);
  // Where others' are left out, one's own stand further back.
  const std::size_t looked_at = veil.covers() ? std::max(shown, kWaitingLooks) : shown;
  const wire::Overview rest{.counts = answer_of(counts_for(context, call.actor, veil)),
                            .cards = cards_of(state, nullptr, veil),
                            .problems = problems_for(context, call.actor)};
  wire::write_message(json, rest, [&](std::string_view name) {
    if (name == "running") {
      lines.running();
    } else if (name == "waiting") {
      lines.waiting(waiting_in_order(state, looked_at, context.now(), lines.waiting_lines()),
                    shown);
    } else if (name == "recent") {
      lines.recent();
    } else if (name == "sweeps") {
      lines.sweeps();
    } else {
      return false;
    }
    return true;
  });
  call.responder.send(json_response(std::move(out)));
}

}  // namespace gpusched
