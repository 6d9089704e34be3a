#include "api/job_page.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "api/cursor.h"

namespace gpusched {
namespace {

// Jobs looked at before others get their turn.
constexpr std::size_t kLooksAtOnce = 5000;
// The same where each has to find its place among the best so far: about a millisecond.
constexpr std::size_t kPlacesAtOnce = 1000;
// Places that are kept at a time; further jobs are on the next page.
constexpr std::uint64_t kSortedMost = 10'000;

class PageSearch : public std::enable_shared_from_this<PageSearch> {
 public:
  PageSearch(Context& context, const Call& call, RowsAsked asked, PageAsked page)
      : context_(context), call_(call), asked_(std::move(asked)), page_(std::move(page)) {
    by_id_ = page_.order.by == JobOrder::By::kId;
    back_ = by_id_ && page_.order.descending;
    at_ = JobId{back_ ? UINT64_MAX : 0};
    if (by_id_ && page_.after) at_ = page_.after->id;
    most_ = page_.limit.value_or(UINT32_MAX);
    if (!by_id_) most_ = std::min(most_, kSortedMost);
    // The jobs of an array follow each other.
    const std::optional<JobId> array = asked_.filter.array;
    if (array && !back_ && at_ < *array) at_ = JobId{number_of(*array) - 1};
  }

  // REQUIRES: no commit is under way.
  void start() {
    call_.responder.on_gone([weak = weak_from_this()] {
      if (const auto self = weak.lock()) self->gone_ = true;
    });
    go_on();
  }

 private:
  // Of one that nobody waits for any more, nothing is left but its turn.
  void go_on() {
    if (gone_) return;
    for (std::size_t looks = by_id_ ? kLooksAtOnce : kPlacesAtOnce; looks > 0; --looks) {
      const Job* job = next();
      if (job == nullptr || !take(*job)) {
        unordered_ = best_.size();
        return put_in_order();
      }
    }
    later(&PageSearch::go_on);
  }

  auto before() const {
    return [this](const JobPlace& one, const JobPlace& other) {
      return comes_before(page_.order, one, other);
    };
  }

  // From the last to the first, some at a time: what is in front of those is still a heap.
  void put_in_order() {
    if (gone_) return;
    for (std::size_t i = 0; i < kPlacesAtOnce && unordered_ > 1; ++i) {
      const auto end = best_.begin() + static_cast<std::ptrdiff_t>(unordered_--);
      std::pop_heap(best_.begin(), end, before());
    }
    unordered_ > 1 ? later(&PageSearch::put_in_order) : send();
  }

  void later(void (PageSearch::*step)()) {
    const std::uint32_t uid = call_.actor.account();
    context_.turns.give(uid, [self = shared_from_this(), uid, step] {
      self->context_.after_commit.run(uid, [self, step] { ((*self).*step)(); });
    });
  }

  // The next one in the list, by id; null: there is none.
  const Job* next() { return asked_.ids ? next_of_these() : next_of_all(); }

  const Job* next_of_all() {
    const auto& jobs = context_.state().jobs();
    auto it = back_ ? jobs.lower_bound(at_) : jobs.upper_bound(at_);
    if (it == (back_ ? jobs.begin() : jobs.end())) return nullptr;
    if (back_) --it;
    at_ = it->first;
    return &it->second;
  }

  const Job* next_of_these() {
    const std::vector<JobId>& ids = *asked_.ids;
    while (true) {
      auto it = back_ ? std::ranges::lower_bound(ids, at_) : std::ranges::upper_bound(ids, at_);
      if (it == (back_ ? ids.begin() : ids.end())) return nullptr;
      if (back_) --it;
      at_ = *it;
      // Retention may have taken it meanwhile.
      if (const Job* job = context_.state().find(at_)) return job;
    }
  }

  // False: that is enough, with one more than the page has.
  bool take(const Job& job) {
    const std::optional<JobId> array = asked_.filter.array;
    if (array && !back_ && (!job.task || job.task->array != *array)) return job.id < *array;
    const bool meant =
        asked_.ids || (asked_.filter.matches(job) && !context_.state().in_open_submission(job.id));
    if (!meant) return true;
    if (by_id_) {
      found_.push_back(job.id);
      return found_.size() <= most_;
    }
    const bool shown = RowWriter(context_, call_.actor).shows_arguments(job);
    JobPlace place = place_of(page_.order, job, shown ? Values::kShown : Values::kHidden);
    if (page_.after && !comes_before(page_.order, *page_.after, place)) return true;
    // The best so far, with the last of them in front.
    best_.push_back(std::move(place));
    std::ranges::push_heap(best_, before());
    if (best_.size() > most_ + 1) {
      std::ranges::pop_heap(best_, before());
      best_.pop_back();
    }
    return true;
  }

  void send() {
    for (const JobPlace& place : best_) found_.push_back(place.id);
    const bool more = found_.size() > most_;
    if (more) found_.resize(most_);
    // An empty page would be followed by itself.
    if (more && most_ > 0) {
      const JobPlace last = by_id_ ? JobPlace{.id = found_.back()} : best_.at(most_ - 1);
      const std::string cursor = cursor_of(page_.order, last);
      asked_.tail = R"(],"next":")" + cursor + R"("})";
      asked_.headers.push_back(next_link(call_.request, cursor));
    }
    asked_.ids = std::move(found_);
    send_rows(context_, call_.actor, std::move(asked_), call_.responder);
  }

  Context& context_;
  Call call_;
  RowsAsked asked_;
  PageAsked page_;
  bool gone_ = false;
  bool by_id_ = false;
  bool back_ = false;  // From the newest to the oldest.
  JobId at_{};         // The last one looked at.
  std::uint64_t most_ = 0;
  std::vector<JobId> found_;
  std::vector<JobPlace> best_;  // A heap, unless they are found in their order.
  std::size_t unordered_ = 0;   // Of those, how many are not in order yet.
};

}  // namespace

Result<std::optional<PageAsked>> parse_page(const std::map<std::string, std::string>& query) {
  const auto sort = query.find("sort");
  const auto cursor = query.find("cursor");
  const bool ordered = sort != query.end() || cursor != query.end();
  const auto sweeps = query.find("sweeps");
  const bool folds = sweeps != query.end() && sweeps->second != "0";
  if (ordered && (folds || query.contains("newest"))) {
    return failure(ErrorCode::kInvalid, folds ? "sweeps go with neither sort nor cursor"
                                              : "newest goes with neither sort nor cursor; "
                                                "sort=-id begins with the newest");
  }
  Result<std::optional<std::uint64_t>> limit = query_number(query, "limit", UINT32_MAX);
  if (!limit) return failure(limit.error());
  if (folds || (!ordered && !*limit)) return std::optional<PageAsked>{};
  PageAsked page{.limit = *limit};
  if (sort != query.end()) {
    Result<JobOrder> order = parse_order(sort->second);
    if (!order) return failure(order.error());
    page.order = *order;
  }
  if (cursor != query.end()) {
    Result<JobPlace> after = parse_cursor(page.order, cursor->second);
    if (!after) return failure(after.error());
    page.after = std::move(*after);
  }
  return std::optional(std::move(page));
}

void send_page(Context& context, const Call& call, RowsAsked asked, PageAsked page) {
  std::make_shared<PageSearch>(context, call, std::move(asked), std::move(page))->start();
}

}  // namespace gpusched
