// GET /v1/audit
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <set>
#include <utility>

#include "api/answers.h"
#include "api/cursor.h"
#include "api/routes/routes.h"
#include "base/number.h"
#include "base/text.h"
#include "wire/message_json.h"
#include "wire/messages/audit.h"

namespace gpusched {
namespace {

constexpr std::string_view kAuditCursor = "audit ";
constexpr std::size_t kAuditUsual = 100;
constexpr std::size_t kAuditMost = 1000;
// Read in one go: commits wait for it.
constexpr std::size_t kReadAtOnce = 500;

struct AuditAsked {
  std::optional<Wall> since = {}, until = {};
  std::string user = {};
  std::optional<std::uint32_t> uid = {};
  std::string operation = {}, result = {};
  bool leases = false;
  std::size_t limit = kAuditUsual;
  std::optional<std::uint64_t> before = {};
};

// "cancel" and "jobs" mean cancel_jobs.
bool means(std::string_view asked, std::string_view operation) {
  const std::vector<std::string_view> words = split_nonempty(operation, '_');
  return asked == operation || std::ranges::find(words, asked) != words.end();
}

Result<void> parse_times(const std::map<std::string, std::string>& query, Wall now,
                         AuditAsked& asked) {
  if (const auto it = query.find("since"); it != query.end()) {
    const Result<Wall> since = parse_since(it->second, now);
    if (!since) return failure(since.error());
    asked.since = *since;
  }
  const auto it = query.find("until");
  if (it == query.end()) return {};
  const auto range = parse_duration(it->second);
  const auto moment = parse_rfc3339(it->second);
  if (!range && !moment) {
    return failure(ErrorCode::kInvalid,
                   fmt::format("until: '{}' is neither a duration such as 7d nor a time such as {}",
                               it->second.substr(0, 80), format_time(now)));
  }
  asked.until = range ? now - *range : *moment;
  return {};
}

Result<AuditAsked> parse_audit(const std::map<std::string, std::string>& query, Wall now) {
  AuditAsked asked;
  if (Result<void> times = parse_times(query, now, asked); !times) return failure(times.error());
  const Result<std::optional<std::uint64_t>> limit = query_number(query, "limit", kAuditMost);
  if (!limit) return failure(limit.error());
  if (*limit && **limit == 0) return failure(ErrorCode::kInvalid, "limit must be at least 1");
  asked.limit = limit->value_or(kAuditUsual);
  const Result<std::optional<std::uint64_t>> leases = query_number(query, "leases", 1);
  if (!leases) return failure(leases.error());
  asked.leases = leases->value_or(0) != 0;
  for (const auto& [name, text] :
       {std::pair("user", &asked.user), std::pair("operation", &asked.operation),
        std::pair("result", &asked.result)}) {
    if (const auto it = query.find(name); it != query.end()) *text = it->second;
  }
  if (std::uint32_t uid = 0; whole_number(asked.user, uid)) asked.uid = uid;
  constexpr std::array<std::string_view, 5> kResults = {"done", "begun", "interrupted", "refused",
                                                        "failed"};
  if (!asked.result.empty() && std::ranges::find(kResults, asked.result) == kResults.end()) {
    return failure(ErrorCode::kInvalid,
                   "result must be done, begun, interrupted, refused or failed");
  }
  const auto cursor = query.find("cursor");
  if (cursor == query.end()) return asked;
  const std::string opened = opened_cursor(cursor->second).value_or("");
  std::uint64_t before = 0;
  if (!opened.starts_with(kAuditCursor) ||
      !whole_number(std::string_view(opened).substr(kAuditCursor.size()), before)) {
    return failure(ErrorCode::kInvalid,
                   "this cursor is none that was given for the audit; begin again without it");
  }
  asked.before = before;
  return asked;
}

// Reads slice by slice until the page is full, and others write in between.
class AuditAnswer : public std::enable_shared_from_this<AuditAnswer> {
 public:
  AuditAnswer(Context& context, const Call& call, AuditAsked asked)
      : context_(context), call_(call), asked_(std::move(asked)) {}

  void next() {
    const AuditPart part{.before = asked_.before, .most = kReadAtOnce, .leases = asked_.leases};
    context_.ports.read_audit(part,
                              [self = shared_from_this()](Result<std::vector<AuditEntry>> read) {
                                if (!read) return self->call_.responder.fail(read.error());
                                self->take(std::move(*read));
                              });
  }

 private:
  void take(std::vector<AuditEntry> read) {
    bool older = !read.empty() && asked_.since.has_value();
    const bool last = read.size() < kReadAtOnce;
    for (AuditEntry& entry : read) {
      older = older && entry.at < *asked_.since;
      asked_.before = entry.sequence;
      tell_interrupted(entry);
      if (!is_wanted(entry)) continue;
      entries_.push_back(std::move(entry));
      // One more than the page has: so it is known whether another follows.
      if (entries_.size() > asked_.limit) return find_names();
    }
    if (last || older) return find_names();
    next();
  }

  // Of a daemon before this one.
  void tell_interrupted(AuditEntry& entry) const {
    if (entry.result == "begun" && entry.at < context_.ports.started_at) {
      entry.result = "interrupted";
    }
  }

  bool is_wanted(const AuditEntry& entry) const {
    if (!may(call_.actor, Action::kSeeAudit, {.uid = entry.uid, .user = entry.user})) return false;
    if (asked_.since && entry.at < *asked_.since) return false;
    if (asked_.until && entry.at >= *asked_.until) return false;
    if (!asked_.user.empty() && entry.user != asked_.user &&
        !(asked_.uid && entry.uid == asked_.uid)) {
      return false;
    }
    if (!asked_.operation.empty() && !means(asked_.operation, entry.operation)) return false;
    return asked_.result.empty() || entry.result == asked_.result;
  }

  // Of accounts whose names were not known when they asked.
  void find_names() {
    std::set<std::uint32_t> nameless;
    for (const AuditEntry& entry : entries_) {
      if (entry.user.empty() && entry.uid) nameless.insert(*entry.uid);
    }
    names_left_ = nameless.size() + 1;
    for (const std::uint32_t uid : nameless) {
      context_.names.resolve(uid, [self = shared_from_this(), uid](const std::string& name) {
        for (AuditEntry& entry : self->entries_) {
          if (entry.user.empty() && entry.uid == uid) entry.user = name;
        }
        self->named();
      });
    }
    named();
  }

  void named() {
    if (--names_left_ == 0) send();
  }

  void send() {
    HttpResponse response = json_response({});
    wire::Audit answer;
    if (entries_.size() > asked_.limit) {
      entries_.resize(asked_.limit);
      answer.next = sealed_cursor(fmt::format("{}{}", kAuditCursor, entries_.back().sequence));
      response.headers.push_back(next_link(call_.request, answer.next));
    }
    for (AuditEntry& entry : entries_) answer.entries.push_back(row_of(std::move(entry)));
    response.body = wire::to_json(answer);
    call_.responder.send(std::move(response));
  }

  static wire::AuditEntry row_of(AuditEntry entry) {
    return {.sequence = entry.sequence,
            .at = entry.at,
            .user = std::move(entry.user),
            .uid = entry.uid,
            .role = std::move(entry.role),
            .proof = std::move(entry.proof),
            .pid = entry.pid > 0 ? std::optional(entry.pid) : std::nullopt,
            .token = std::move(entry.token),
            .from = entry.from.empty() ? "this machine" : std::move(entry.from),
            .operation = std::move(entry.operation),
            .target = std::move(entry.target),
            .summary = std::move(entry.summary),
            .result = std::move(entry.result),
            .code = std::move(entry.code),
            .key = std::move(entry.key),
            .times = entry.times};
  }

  Context& context_;
  Call call_;
  AuditAsked asked_;
  std::vector<AuditEntry> entries_;
  std::size_t names_left_ = 0;
};

}  // namespace

void get_audit(Context& context, Call call) {
  Result<AuditAsked> asked = parse_audit(call.request.query, context.now().wall);
  if (!asked) return call.responder.fail(asked.error());
  const auto begin = [&context, call](AuditAsked whole) {
    std::make_shared<AuditAnswer>(context, call, std::move(whole))->next();
  };
  if (asked->user.empty() || asked->uid) return begin(std::move(*asked));
  context.authenticator.find_user(asked->user, call.actor.account(),
                                  [begin, asked = *asked](std::optional<std::uint32_t> uid) {
                                    AuditAsked whole = asked;
                                    whole.uid = uid;
                                    begin(std::move(whole));
                                  });
}

}  // namespace gpusched
