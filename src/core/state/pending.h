// The queue. Jobs with equal needs, constraints, tenant and limits form one *shape*: what does not
// fit once does not fit for the whole shape, so a turn looks at the first job of each shape instead
// of at every job. Each tenant's shapes are kept sorted by their first job; a walk merges the
// tenants, those below their fair share first, so that nothing is sorted or moved in a turn when
// a tenant's standing changes.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <queue>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/time.h"
#include "core/model/ids.h"
#include "core/model/job.h"
#include "core/model/needs.h"
#include "core/model/signature.h"

namespace gpusched {

// Bands of priority, most important first: urgent 85-100, high 70-84, normal 40-69, low 20-39,
// idle 0-19.
inline constexpr std::size_t kBands = 5;
int band_rank(int priority);
const char* band_name(int priority);

// A job's place in the total order among the jobs of its tenant; the smaller starts first. The id
// ends every tie. Between tenants and projects their standing comes after `waiting`.
struct OrderKey {
  std::int8_t band = 0;       // band_rank(): 0 is urgent.
  std::int8_t waiting = 2;    // First in its band: 0, overdue; 1, its deadline presses.
  std::int16_t priority = 0;  // Negated. Not where a deadline presses.
  Wall submitted_at{};        // There, by when it must start. Else that of its place.
  JobId rank{};               // Its own number, or that of the job whose place it took.
  JobId job{};
  friend auto operator<=>(const OrderKey&, const OrderKey&) = default;
};
// `start_by`: its deadline presses, and it must start by then.
OrderKey order_key_of(const Job& job, bool overdue, std::optional<Wall> start_by = {});
// The total order of the whole queue. `standing` is that of the job's queue
// (fair_share.h): less comes first.
bool starts_before(const OrderKey& a, std::int8_t standing_a, const OrderKey& b,
                   std::int8_t standing_b);

// Whose jobs wait together: a tenant's of one project, which is empty for most.
struct QueueKey {
  std::string tenant;
  std::string project;
  friend auto operator<=>(const QueueKey&, const QueueKey&) = default;
};

struct ShapeKey {
  Needs needs;
  QueueKey whose;
  std::string group;
  JobId array{};  // 0: not of an array.
  Seconds time_limit{0};
  SignatureId signature{};        // Where past runs decide what it holds; else none.
  SignatureId sweep_signature{};  // With it: its wider ones (core/model/signature.h).
  SignatureId program_signature{};
  std::uint64_t vram_floor_bytes = 0;  // See Job.
  friend auto operator<=>(const ShapeKey&, const ShapeKey&) = default;
};
ShapeKey shape_key_of(const Job& job, SignatureId signature);
// A lower bound where past runs decide: they may change while the job waits.
CardAsk card_ask_of(const ShapeKey& key);

struct Shape {
  ShapeKey key;
  std::uint64_t id = 0;     // Unique among the shapes that exist at one time.
  std::set<OrderKey> jobs;  // Never empty.
};

class Pending {
 private:
  struct Head {
    OrderKey key;
    const Shape* shape = nullptr;
    CardAsk ask = {};  // The shape's, so that passing it over does not mean looking at it.
    friend bool operator<(const Head& a, const Head& b) { return a.key < b.key; }
  };
  // Shapes that only a card can serve are kept apart, so that a turn without a free card need not
  // look at them.
  enum Kind { kNeedsCard, kMayUseCpus, kKinds };

 public:
  // What waits of one tenant and project: one head per shape, by its first job. Never empty.
  class Queue {
    friend class Pending;
    friend class PendingWalk;
    std::set<Head> heads_[kKinds];
  };

  Pending() = default;
  // Shapes point to each other, so a copy is made anew.
  Pending(const Pending& other);
  Pending& operator=(const Pending& other);
  Pending(Pending&&) = default;
  Pending& operator=(Pending&&) = default;

  void insert(const Job& job, bool overdue, SignatureId signature = {},
              std::optional<Wall> start_by = {});
  void erase(JobId id);  // No effect if it is not there.
  bool contains(JobId id) const { return places_.contains(id); }
  std::size_t size() const { return places_.size(); }
  std::size_t shape_count() const { return shapes_.size(); }
  // By tenant and project; only those that have eligible jobs.
  const std::map<QueueKey, Queue>& queues() const { return queues_; }
  // The jobs of one queue, in no order.
  template <class Visit>
  void for_each_of(const QueueKey& whose, Visit visit) const {
    const auto queue = queues_.find(whose);
    if (queue == queues_.end()) return;
    for (const auto& heads : queue->second.heads_) {
      for (const Head& head : heads) {
        for (const OrderKey& key : head.shape->jobs) visit(key.job);
      }
    }
  }
  // A job of this program waits that past runs decide about.
  bool waits_for_program(SignatureId program) const { return programs_.contains(program); }
  // REQUIRES: contains(id).
  const Shape& shape_of(JobId id) const { return *places_.at(id).shape; }
  const OrderKey& key_of(JobId id) const { return *places_.at(id).at; }

 private:
  friend class PendingWalk;
  struct Place {
    Shape* shape = nullptr;
    std::set<OrderKey>::const_iterator at;  // In the shape's jobs.
  };
  static Kind kind_of(const Shape& shape);
  void add_head(const Shape& shape);
  void remove_head(const Shape& shape, const OrderKey& key);

  std::map<ShapeKey, Shape> shapes_;
  std::map<QueueKey, Queue> queues_;
  std::unordered_map<JobId, Place> places_;
  std::unordered_map<SignatureId, std::uint32_t> programs_;  // How many shapes each has.
  std::uint64_t next_shape_ = 1;
};

// Visits pending jobs in order, shape by shape as far as needed. After each next() take() goes on
// to the shape's following job; without it the shape is left behind.
class PendingWalk {
 public:
  // One standing per queue of `pending`, in their order; none: all tenants stand alike.
  explicit PendingWalk(const Pending& pending, const std::vector<std::int8_t>& standings = {});
  // The next job in order, or null at the end.
  const OrderKey* next();
  // Leaves the shapes behind that come next, only a card can serve and `leaves(card_ask)` is true
  // of; at most so many. Returns how many: the quick way through a queue of which little fits.
  template <class Leaves>
  std::size_t leave_while(Leaves leaves, std::size_t most) {
    std::size_t left = 0;
    for (; left < most; ++left) {
      drop_left();
      const Pending::Head* head = next_fresh();
      if (head == nullptr || sources_[heap_.front()].first != Pending::kNeedsCard) break;
      if (!leaves(head->ask)) break;
      step_top();
    }
    return left;
  }
  const Shape& shape() const { return *current_.shape; }
  // True: only a card can serve it; card_ask() is what that card must offer.
  bool needs_card() const { return current_.needs_card; }
  const CardAsk& card_ask() const { return current_.ask; }
  void take();
  // From here on only shapes that could do without a card.
  void leave_cards();
  // From here on nothing of the current job's tenant, or nothing that needs a card.
  void leave_tenant();
  void leave_tenant_cards();
  // How many shapes of the current job's tenant were left by this call, this one included.
  std::size_t count_left_of_tenant() { return ++tenant_of(current_.source).left; }

 private:
  // The shapes of one queue that were not looked at yet.
  struct Source {
    const Pending::Queue* queue = nullptr;
    std::uint32_t tenant = 0;  // The first source of its tenant, which keeps what holds for all.
    std::set<Pending::Head>::const_iterator at[Pending::kKinds];
    std::int8_t standing = 0;
    bool gone = false;        // leave_tenant()
    bool cards_gone = false;  // leave_tenant_cards()
    std::size_t left = 0;
    // The first of them; kKinds: none is left.
    int first = Pending::kKinds;
    OrderKey key = {};
    std::uint32_t rank = 0;  // Band, waiting, standing and priority in one, to compare quickly.
  };
  struct Cursor {
    std::set<OrderKey>::const_iterator at;
    const OrderKey* key = nullptr;  // *at, without looking at the shape where that is not needed.
    const Shape* shape = nullptr;
    CardAsk ask = {};
    std::uint32_t source = 0;
    std::int8_t standing = 0;
    bool needs_card = false;
    bool fresh = false;  // `at` is not set yet: it is the shape's first.
  };
  struct Later {
    bool operator()(const Cursor& a, const Cursor& b) const {
      return starts_before(*b.key, b.standing, *a.key, a.standing);
    }
  };
  void look(Source& source) const;
  Source& tenant_of(std::uint32_t source) { return sources_[sources_[source].tenant]; }
  bool later(std::uint32_t a, std::uint32_t b) const;
  void place_top();
  // Past the first shape of the source on top.
  void step_top();
  // The first shape that was not looked at yet, if it comes before those that were; else null.
  const Pending::Head* next_fresh() const;
  bool is_left(std::uint32_t source, bool needs_card) const;
  void drop_left();

  std::vector<Source> sources_;
  std::vector<std::uint32_t> heap_;  // Of sources that have something, the first on top.
  bool cards_left_ = false;
  std::priority_queue<Cursor, std::vector<Cursor>, Later> opened_;
  Cursor current_;
};

}  // namespace gpusched
