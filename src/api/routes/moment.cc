// GET /v1/moment
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <utility>

#include "api/answers.h"
#include "api/reason_answer.h"
#include "api/routes/routes.h"
#include "api/timeline_rows.h"
#include "base/number.h"
#include "base/text.h"
#include "core/explain/explain.h"
#include "core/explain/past_moment.h"
#include "core/model/placeholders.h"
#include "core/state/past_spans.h"
#include "wire/message_json.h"
#include "wire/messages/moment.h"

namespace gpusched {
namespace {

constexpr std::size_t kThenWaitingShown = 200;
constexpr std::size_t kTrailRead = 1000;
// Figures are asked for around the moment, as finely as they are kept for a month.
constexpr Seconds kFigureStep{60};

struct MomentAsked {
  Wall at{};
  std::optional<JobId> job = {};
};

Result<MomentAsked> parse_moment_asked(const std::map<std::string, std::string>& query, Wall now) {
  const auto at = query.find("at");
  if (at == query.end()) return failure(ErrorCode::kInvalid, "at must be given, such as at=2h");
  const Result<Wall> moment = parse_moment("at", at->second, now);
  if (!moment) return failure(moment.error());
  if (*moment > now) return failure(ErrorCode::kInvalid, "at: that is in the future");
  const auto job = query_number(query, "job", UINT64_MAX);
  if (!job) return failure(job.error());
  MomentAsked asked{.at = *moment};
  if (*job) asked.job = JobId{**job};
  return asked;
}

// Of a job that waited then: by what its trail says before, else after, else by what it is now.
bool was_held(const std::vector<TrailEntry>& trail, Wall at, bool held_now) {
  std::optional<bool> before, after;
  for (const TrailEntry& entry : trail) {
    const bool held = entry.kind == "held";
    const bool lets_go = entry.kind == "released" || entry.kind == "starting";
    if (!held && !lets_go) continue;
    if (entry.at <= at) {
      before = held;
    } else if (!after) {
      after = !held && entry.kind == "released";
    }
  }
  return before.value_or(after.value_or(held_now));
}

// Gathered on the loop, then put together beside it.
struct MomentWork {
  MomentAsked asked;
  Principal actor;
  bool covers = false;  // Others' jobs are hidden from them.
  NameRights names;
  PastMoment moment;
  bool there = true;  // The job had been submitted, and was not over.
  bool held_now = false;
  wire::Moment answer;
  std::vector<Reason> reasons = {};

  bool shows(const Identity& owner) const {
    return !covers || may(actor, Action::kSeeJob, owned_by(owner));
  }
};
using SharedWork = std::shared_ptr<MomentWork>;

std::vector<wire::ActiveThen> rows_of(const MomentWork& work, const std::vector<PastSpan>& spans) {
  std::vector<wire::ActiveThen> rows;
  for (const PastSpan& span : spans) {
    if (!work.shows(span.owner)) continue;
    const std::uint64_t id = number_of(span.attempt.job);
    if (rows.empty() || rows.back().id != id) {
      rows.push_back({.id = id, .user = span.owner.user, .from = span.from});
      rows.back().name = work.names.name_in(span);
    }
    if (span.card) rows.back().cards.push_back(number_of(*span.card));
  }
  return rows;
}

void fill_in_cards(MomentWork& work, const StateThen& then) {
  for (wire::CardThen& card : work.answer.cards) {
    for (const Card& known : then.state.cards()) {
      if (known.uuid == card.uuid) card.drained = known.drained;
    }
    for (const PastSpan& span : then.on_cards) {
      const bool here = span.card && number_of(*span.card) == card.number;
      if (here && work.shows(span.owner)) card.jobs.push_back(number_of(span.attempt.job));
    }
  }
}

void fill_in_waiting(MomentWork& work, const StateThen& then) {
  for (const JobId id : then.waiting) {
    const Job& job = *then.state.find(id);
    if (!work.shows(job.owner)) continue;
    if (work.answer.waiting.size() == kThenWaitingShown) {
      ++work.answer.waiting_left_out;
      continue;
    }
    work.answer.waiting.push_back({.id = number_of(id),
                                   .name = work.names.name_of(job),
                                   .user = job.owner.user,
                                   .priority = job.priority,
                                   .submitted_at = job.submitted_at});
  }
}

void fill_in_why(MomentWork& work, const StateThen& then) {
  if (!work.answer.why || !work.there) return;
  const Job* job = then.state.find(*work.asked.job);
  if (job == nullptr) return;
  work.answer.why->state = std::holds_alternative<Held>(job->state) ? "held"
                           : job->active()                          ? "running"
                                                                    : "queued";
  work.reasons = why_waiting(then.state, *job, then.now);
}

std::string limits_of(const MomentWork& work, std::uint64_t left_out) {
  std::string text =
      "put together from who was on the cards, who had been submitted and which cards were drained "
      "then; figures of cards are averages of about a minute; rules, priorities, fair share and "
      "run "
      "times are those known now, and the reason knows nothing of other programs on the cards";
  const auto& since = work.answer.known_since;
  if (!since || work.asked.at < *since) {
    text += since ? "; what ended before " + format_time(*since) + " may be missing"
                  : "; nothing is known of what has ended";
  }
  if (left_out > 0) {
    text += fmt::format("; {} that ended long after were not looked at", left_out);
  }
  return text + ".";
}

// Beside the loop.
void put_together(MomentWork& work) {
  const std::uint64_t left_out = work.moment.known.left_out;
  const StateThen then = state_then(std::move(work.moment));
  work.answer.running = rows_of(work, then.on_cards);
  work.answer.aside = rows_of(work, then.aside);
  fill_in_cards(work, then);
  fill_in_waiting(work, then);
  fill_in_why(work, then);
  work.answer.limits_of_this_answer = limits_of(work, left_out);
}

std::optional<double> value_at(const history::Answer& figures, const history::Line& line,
                               std::string_view name, Wall at) {
  const auto series = std::ranges::find(line.series, name, &history::Series::name);
  if (series == line.series.end() || at < figures.from || figures.step <= Seconds{0}) return {};
  auto index = static_cast<std::size_t>((at - figures.from) / figures.step);
  index = std::min(index, series->values.size());
  // What is being gathered now may have no value yet.
  for (std::size_t back = 0; back < 2 && back <= index; ++back) {
    const std::size_t place = index - back;
    if (place < series->values.size() && series->values[place]) return series->values[place];
  }
  return std::nullopt;
}

void fill_in_figures(wire::Moment& answer, const history::Answer& figures, Wall at) {
  for (wire::CardThen& card : answer.cards) {
    const auto line = std::ranges::find(figures.lines, card.uuid, &history::Line::uuid);
    if (line == figures.lines.end()) continue;
    card.busy_percent = value_at(figures, *line, "busy_percent", at);
    card.temperature_celsius = value_at(figures, *line, "temperature_c", at);
    card.power_watts = value_at(figures, *line, "power_watts", at);
    if (const auto used = value_at(figures, *line, "used_bytes", at)) {
      card.used_bytes = static_cast<std::uint64_t>(std::llround(std::max(0.0, *used)));
    }
  }
}

// One question after the other; each comes back on the loop.
class MomentAnswer : public std::enable_shared_from_this<MomentAnswer> {
 public:
  MomentAnswer(Context& context, const Call& call, const MomentAsked& asked, Tickets::Ticket ticket)
      : context_(context),
        call_(call),
        ticket_(std::move(ticket)),
        work_(std::make_shared<MomentWork>()) {
    work_->asked = asked;
  }

  // REQUIRES: no commit is under way.
  void begin() {
    const Veil veil(context_, call_.actor);
    MomentWork& work = *work_;
    work.actor = call_.actor;
    work.covers = veil.covers();
    work.names = {call_.actor, context_.limits.arguments_for_all};
    work.answer.at = work.asked.at;
    if (work.asked.job && !take_job(veil)) return;
    take_state();
    read_past();
  }

 private:
  // False: answered.
  bool take_job(const Veil& veil) {
    MomentWork& work = *work_;
    const Job* job = context_.state().find(*work.asked.job);
    if (job == nullptr || !veil.sees(*job)) {
      call_.responder.fail({ErrorCode::kNotFound, "there is no job " + to_string(*work.asked.job)});
      return false;
    }
    const auto* ended = std::get_if<Ended>(&job->state);
    work.answer.why = wire::WhyThen{.job = number_of(job->id)};
    work.held_now = std::holds_alternative<Held>(job->state);
    if (job->submitted_at > work.asked.at) work.answer.why->state = "not_yet_submitted";
    if (ended != nullptr && ended->ended_at <= work.asked.at) work.answer.why->state = "ended";
    work.there = work.answer.why->state.empty();
    return true;
  }

  void take_state() {
    MomentWork& work = *work_;
    const StateView& state = context_.state();
    const Now now = context_.now();
    const Wall at = std::min(work.asked.at, now.wall);
    work.moment = {.known = excerpt_then(state, at, work.asked.job, now),
                   .at = at,
                   .spans = {},
                   .drains = {},
                   .held = {}};
    for (const JobId id : state.active()) {
      for (PastSpan& span : spans_under_way(*state.find(id), state.cards(), now.wall)) {
        if (span.from <= at) work.moment.spans.push_back(std::move(span));
      }
    }
    for (const auto& [uuid, drain] : state.drains()) {
      if (drain.since <= at) work.moment.drains.push_back(drain);
    }
    // Of the others what they are now is all that is known.
    for (const Job& job : work.moment.known.jobs) {
      if (std::holds_alternative<Held>(job.state)) work.moment.held.insert(job.id);
    }
    for (const Card& card : state.cards()) {
      work.answer.cards.push_back({.number = static_cast<int>(number_of(card.number)),
                                   .uuid = card.uuid,
                                   .model = card.model,
                                   .vram_bytes = card.vram_bytes});
    }
  }

  void read_past() {
    const Wall at = work_->asked.at;
    context_.ports.read_past({.from = at, .until = at, .most = kSpansMost, .without_cards = true},
                             [self = shared_from_this()](Result<Past> past) {
                               if (!past) return self->call_.responder.fail(past.error());
                               self->take_past(std::move(*past));
                               self->read_trail();
                             });
  }

  void take_past(Past past) {
    work_->answer.known_since = past.known_since;
    for (PastSpan& span : past.spans) {
      if (is_of_job(span.kind)) {
        work_->moment.spans.push_back(std::move(span));
      } else if (span.kind == PastKind::kDrain) {
        Drain drain{.uuid = span.name, .since = span.from, .by = span.state, .reason = span.what};
        work_->moment.drains.push_back(std::move(drain));
      }
    }
  }

  void read_trail() {
    if (!work_->asked.job || !work_->there) return read_history();
    context_.ports.read_trail(*work_->asked.job, 0, kTrailRead,
                              [self = shared_from_this()](Result<std::vector<TrailEntry>> trail) {
                                if (!trail) return self->call_.responder.fail(trail.error());
                                MomentWork& work = *self->work_;
                                if (was_held(*trail, work.asked.at, work.held_now)) {
                                  work.moment.held.insert(*work.asked.job);
                                } else {
                                  work.moment.held.erase(*work.asked.job);
                                }
                                self->read_history();
                              });
  }

  void read_history() {
    if (!context_.ports.read_history) return finish();
    history::Question question{.from = work_->asked.at - 2 * kFigureStep,
                               .to = work_->asked.at + kFigureStep,
                               .step = kFigureStep,
                               .card = {},
                               .job = {}};
    context_.ports.read_history(
        question, [self = shared_from_this()](Result<history::Answer> figures) {
          // Without a history figures are not known; the rest is.
          if (figures) fill_in_figures(self->work_->answer, *figures, self->work_->asked.at);
          self->finish();
        });
  }

  void finish() {
    context_.parser.post(call_.actor.account(),
                         [self = shared_from_this(), work = work_]() -> Background::Then {
                           put_together(*work);
                           return [self] { self->send(); };
                         });
  }

  void send() {
    const Veil veil(context_, call_.actor);
    if (auto& why = work_->answer.why) {
      for (const Reason& reason : work_->reasons) {
        veil.hide_in(why->reasons.emplace_back(answer_of(veil.over(reason), *work_->asked.job)));
      }
      if (!why->reasons.empty()) why->helps = why->reasons.front().helps;
    }
    call_.responder.send(json_response(wire::to_json(work_->answer)));
  }

  Context& context_;
  Call call_;
  Tickets::Ticket ticket_;
  SharedWork work_;
};

}  // namespace

void get_moment(Context& context, Call call) {
  const Result<MomentAsked> asked = parse_moment_asked(call.request.query, context.now().wall);
  if (!asked) return call.responder.fail(asked.error());
  const Result<Tickets::Ticket> ticket = context.past_reads.take(call.actor.account());
  if (!ticket) return call.responder.fail(ticket.error());
  context.after_commit.run(call.actor.account(),
                           [&context, call, asked = *asked, ticket = *ticket] {
                             std::make_shared<MomentAnswer>(context, call, asked, ticket)->begin();
                           });
}

}  // namespace gpusched
