// GET /v1/report
#include "api/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <climits>
#include <memory>
#include <utility>

#include "api/routes/routes.h"
#include "api/selector.h"
#include "api/veil.h"
#include "base/text.h"
#include "core/model/tenant.h"
#include "report/report_text.h"
#include "wire/message_json.h"

namespace gpusched {
namespace {

constexpr Seconds kUsualRange{7 * 24 * 3600};
// What began later than this is counted from single jobs, to the second.
constexpr Seconds kExactRange{2 * 24 * 3600};
// Jobs or sums added up in one go: about a millisecond.
constexpr std::size_t kJobsPerPiece = 5000;
constexpr std::size_t kSumsPerPiece = 500;

enum class ReportFormat : unsigned char { kJson, kText, kCsv };

std::string given(const std::map<std::string, std::string>& query, const char* name) {
  const auto found = query.find(name);
  return found == query.end() ? std::string() : found->second;
}

Result<ReportFormat> parse_format(const std::string& text) {
  if (text.empty() || text == "json") return ReportFormat::kJson;
  if (text == "text") return ReportFormat::kText;
  if (text == "csv") return ReportFormat::kCsv;
  return failure(ErrorCode::kInvalid, "format must be json, text or csv");
}

Result<ReportAsked> parse_asked(const std::map<std::string, std::string>& query, Wall now) {
  ReportAsked asked{.by = ReportBy::kUser, .since = now - kUsualRange, .until = now};
  if (const std::string by = given(query, "by"); !by.empty() || query.contains("by")) {
    const auto named = report_by_named(by);
    if (!named) {
      return failure(ErrorCode::kInvalid,
                     "by must be user, card, tenant, project, name, program or hour");
    }
    asked.by = *named;
  }
  if (query.contains("since")) {
    const auto moment = parse_since(given(query, "since"), now);
    if (!moment) return failure(moment.error());
    asked.since = *moment;
  }
  if (query.contains("until")) {
    const auto moment = parse_since(given(query, "until"), now);
    if (!moment) {
      std::string why = moment.error().message;
      if (why.starts_with("since: ")) why = "until: " + why.substr(7);
      return failure(moment.error().code, why);
    }
    asked.until = *moment;
  }
  if (asked.until <= asked.since) {
    return failure(ErrorCode::kInvalid,
                   fmt::format("until: {} is not after since, which is {}",
                               format_time(asked.until), format_time(asked.since)));
  }
  asked.from_days = asked.since <= now - kExactRange;
  return asked;
}

// Adds up piece by piece, so that nobody else waits for a long list; the answer is written last.
class ReportStream {
 public:
  ReportStream(Context& context, const Principal& actor, const ReportAsked& asked,
               ReportFormat format)
      : context_(context),
        actor_(actor),
        report_(asked),
        format_(format),
        job_(asked.since, JobId{}),
        now_(context.now().wall) {
    if (!may(actor_, Action::kSeeArguments, {}, context.limits.arguments_for_all)) {
      report_.hide_arguments(actor_.user);
    }
    if (!asked.from_days) {
      report_.note("counted from single jobs: the last attempt of each that is still kept");
      return;
    }
    // Days count whole.
    first_day_ = day_of(asked.since);
    last_day_ = day_of(asked.until - Microseconds{1});
    today_ = day_of(now_);
    report_.counts(begin_of_day(first_day_), std::min(now_, begin_of_day(last_day_ + 1)));
    const bool more =
        report_.asked().since < asked.since || report_.asked().until > asked.until + Seconds{1};
    if (more) report_.note("days count whole, in UTC: it covers more than was asked for");
    day_ = {.day = first_day_};
    month_ = {.month = true, .day = month_of_day(first_day_)};
  }

  // REQUIRES: no commit is under way.
  Pull next(std::string& out) {
    const Veil veil(context_, actor_);
    const bool over = report_.asked().from_days ? take_sums(veil) : take_jobs(veil);
    if (!over) return Pull::kMore;
    take_running(veil);
    out += written();
    return Pull::kEnd;
  }

  Pull pull(const Responder& responder, std::string& out) {
    if (!context_.after_commit.must_wait()) return next(out);
    context_.after_commit.run_later(kNobody, [responder] { responder.wake(); });
    return Pull::kWait;
  }

  const char* content_type() const {
    if (format_ == ReportFormat::kText) return "text/plain; charset=utf-8";
    return format_ == ReportFormat::kCsv ? "text/csv; charset=utf-8" : "application/json";
  }

 private:
  // False: there is more.
  bool take_jobs(const Veil& veil) {
    const StateView& state = context_.state();
    std::size_t looks = kJobsPerPiece;
    for (auto it = state.ended().upper_bound(job_); it != state.ended().end(); ++it) {
      if (looks-- == 0) return false;
      job_ = *it;
      const Job& job = *state.find(it->second);
      const Ended& ended = std::get<Ended>(job.state);
      if (ended.started_at && *ended.started_at >= report_.asked().until) continue;
      if (veil.sees(job)) report_.add_ended(job);
    }
    return true;
  }

  // Months, then days; today last and whole, together with what runs: nothing moves from one to
  // the other in between.
  bool take_sums(const Veil& veil) {
    const auto& rows = context_.state().work();
    std::size_t looks = kSumsPerPiece;
    for (auto it = rows.lower_bound(month_); it != rows.end(); ++it) {
      if (it->first.day > last_day_) break;
      if (looks-- == 0) {
        month_ = it->first;
        return false;
      }
      if (it->first.day < first_day_) {
        if (!std::exchange(month_told_, true)) {
          report_.note("days of so long ago are kept by month: it begins with one");
        }
        report_.counts(begin_of_day(month_of_day(first_day_)), report_.asked().until);
      }
      take_sum(veil, it->second);
    }
    month_ = {.month = true, .day = INT_MAX};
    for (auto it = rows.lower_bound(day_); it != rows.end(); ++it) {
      if (it->first.month || it->first.day > last_day_) break;
      if (it->first.day < today_ && looks-- == 0) {
        day_ = it->first;
        return false;
      }
      take_sum(veil, it->second);
    }
    return true;
  }

  void take_sum(const Veil& veil, const WorkSum& sum) {
    if (veil.covers() && !veil.sees_user(sum.key.user)) {
      if (!veil.shows_counts()) return;
      report_.add_hidden(veiled(veil, sum.key), veiled(veil, sum.sums));
      return;
    }
    report_.add(sum.key, veil.covers() ? veiled(veil, sum.sums) : sum.sums);
  }

  static WorkKey veiled(const Veil& veil, WorkKey key) {
    if (!veil.sees_tenant(key.tenant)) key.tenant = "others";
    return key;
  }
  static WorkSums veiled(const Veil& veil, const WorkSums& sums) {
    WorkSums out = sums;
    out.waited_for.clear();
    for (const auto& [holder, seconds] : sums.waited_for) {
      const bool named = holder.empty() || veil.sees_tenant(holder);
      out.waited_for[named ? holder : "others"] += seconds;
    }
    return out;
  }

  void take_running(const Veil& veil) {
    const StateView& state = context_.state();
    for (const JobId id : state.active()) {
      const Job& job = *state.find(id);
      const bool seen = veil.sees(job);
      if (!seen && (!veil.shows_counts() || !report_.asked().from_days)) continue;
      report_.add_running(job, state.seen().uses.of(job.current_attempt()), !seen);
    }
  }

  std::string written() const {
    const wire::Report answer = report_.answer(context_.state(), context_.limits.prices);
    switch (format_) {
      case ReportFormat::kText:
        return report_text(answer);
      case ReportFormat::kCsv:
        return report_csv(answer);
      case ReportFormat::kJson:
        break;
    }
    return wire::to_json(answer);
  }

  Context& context_;
  Principal actor_;
  Report report_;
  ReportFormat format_;
  std::pair<Wall, JobId> job_;  // The last one added.
  WorkKey day_, month_;         // The next ones.
  int first_day_ = 0, last_day_ = 0, today_ = 0;
  bool month_told_ = false;
  Wall now_;
};

}  // namespace

void get_report(Context& context, Call call) {
  const auto asked = parse_asked(call.request.query, context.now().wall);
  if (!asked) return call.responder.fail(asked.error());
  const auto format = parse_format(given(call.request.query, "format"));
  if (!format) return call.responder.fail(format.error());
  auto stream = std::make_shared<ReportStream>(context, call.actor, *asked, *format);
  HttpResponse response;
  response.content_type = stream->content_type();
  std::string whole;
  if (stream->next(whole) == Pull::kEnd) {
    response.body = std::move(whole);
    return call.responder.send(std::move(response));
  }
  response.stream = [stream, responder = call.responder](std::string& out) {
    return stream->pull(responder, out);
  };
  call.responder.send(std::move(response));
}

}  // namespace gpusched
