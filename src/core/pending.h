// The queue. Jobs with equal needs, constraints, tenant and limits form one *shape*: what does not
// fit once does not fit for the whole shape, so a turn looks at the first job of each shape instead
// of at every job. Shapes are kept sorted by their first job, so that nothing is sorted in a turn.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <queue>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/ids.h"
#include "core/job.h"
#include "core/needs.h"
#include "core/signature.h"
#include "core/time.h"

namespace gpusched {

// Bands of priority, most important first: urgent 85-100, high 70-84, normal 40-69, low 20-39,
// idle 0-19.
int band_rank(int priority);
const char* band_name(int priority);

// A job's place in the total order; the smaller starts first. The id ends every tie.
struct OrderKey {
  std::int8_t band = 0;       // band_rank(): 0 is urgent.
  std::int8_t waiting = 1;    // 0: overdue, which comes first in its band.
  std::int16_t priority = 0;  // Negated.
  Wall submitted_at{};
  JobId job{};
  friend auto operator<=>(const OrderKey&, const OrderKey&) = default;
};
OrderKey order_key_of(const Job& job, bool overdue);

struct ShapeKey {
  Needs needs;
  std::string tenant;
  std::string group;
  JobId array{};  // 0: not of an array.
  Seconds time_limit{0};
  SignatureId signature{};             // Where past runs decide what it holds; else none.
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
 public:
  void insert(const Job& job, bool overdue, SignatureId signature = {});
  void erase(JobId id);  // No effect if it is not there.
  bool contains(JobId id) const { return places_.contains(id); }
  std::size_t size() const { return places_.size(); }
  std::size_t shape_count() const { return shapes_.size(); }
  // REQUIRES: contains(id).
  const Shape& shape_of(JobId id) const { return *places_.at(id).shape; }
  const OrderKey& key_of(JobId id) const { return places_.at(id).key; }

 private:
  friend class PendingWalk;
  struct Place {
    Shape* shape = nullptr;
    OrderKey key;
  };
  struct Head {
    OrderKey key;
    const Shape* shape = nullptr;
    CardAsk ask = {};  // The shape's, so that passing it over does not mean looking at it.
    friend bool operator<(const Head& a, const Head& b) { return a.key < b.key; }
  };

  // Shapes that only a card can serve are kept apart, so that a turn without a free card need not
  // look at them.
  enum Kind { kNeedsCard, kMayUseCpus, kKinds };
  static Kind kind_of(const Shape& shape);

  std::map<ShapeKey, Shape> shapes_;
  std::set<Head> heads_[kKinds];  // One per shape, by its first job.
  std::unordered_map<JobId, Place> places_;
  std::uint64_t next_shape_ = 1;
};

// Visits pending jobs in order, shape by shape as far as needed. After each next() take() goes on
// to the shape's following job; without it the shape is left behind.
class PendingWalk {
 public:
  explicit PendingWalk(const Pending& pending);
  // The next job in order, or null at the end.
  const OrderKey* next();
  const Shape& shape() const { return *current_.shape; }
  // True: only a card can serve it; card_ask() is what that card must offer.
  bool needs_card() const { return current_.needs_card; }
  const CardAsk& card_ask() const { return current_.ask; }
  void take();
  // From here on only shapes that could do without a card.
  void leave_cards();

 private:
  struct Cursor {
    std::set<OrderKey>::const_iterator at;
    const OrderKey* key = nullptr;  // *at, without looking at the shape where that is not needed.
    const Shape* shape = nullptr;
    CardAsk ask = {};
    bool needs_card = false;
    bool fresh = false;  // `at` is not set yet: it is the shape's first.
  };
  struct Later {
    bool operator()(const Cursor& a, const Cursor& b) const { return *b.key < *a.key; }
  };
  const Pending& pending_;
  // Shapes not looked at yet.
  std::set<Pending::Head>::const_iterator fresh_[Pending::kKinds];
  bool cards_left_ = false;
  std::priority_queue<Cursor, std::vector<Cursor>, Later> opened_;
  Cursor current_;
};

}  // namespace gpusched
