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
  friend auto operator<=>(const ShapeKey&, const ShapeKey&) = default;
};
ShapeKey shape_key_of(const Job& job);

struct Shape {
  ShapeKey key;
  std::uint64_t id = 0;     // Unique among the shapes that exist at one time.
  std::set<OrderKey> jobs;  // Never empty.
};

class Pending {
 public:
  void insert(const Job& job, bool overdue);
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
    friend bool operator<(const Head& a, const Head& b) { return a.key < b.key; }
  };

  std::map<ShapeKey, Shape> shapes_;
  std::set<Head> heads_;  // One per shape, by its first job.
  std::unordered_map<JobId, Place> places_;
  std::uint64_t next_shape_ = 1;
};

// Visits pending jobs in order, shape by shape as far as needed. After each next() say what became
// of that job: take() goes on to the shape's following job, drop_shape() leaves the shape.
class PendingWalk {
 public:
  explicit PendingWalk(const Pending& pending);
  // The next job in order, or null at the end.
  const OrderKey* next();
  const Shape& shape() const { return *current_.shape; }
  void take();
  void drop_shape() {}

 private:
  struct Cursor {
    std::set<OrderKey>::const_iterator at;
    const Shape* shape = nullptr;
  };
  struct Later {
    bool operator()(const Cursor& a, const Cursor& b) const { return *b.at < *a.at; }
  };
  const Pending& pending_;
  std::set<Pending::Head>::const_iterator fresh_;  // Shapes not looked at yet.
  std::priority_queue<Cursor, std::vector<Cursor>, Later> opened_;
  Cursor current_;
};

}  // namespace gpusched
