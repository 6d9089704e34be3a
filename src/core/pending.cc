#include "core/pending.h"

#include "core/check.h"

namespace gpusched {

int band_rank(int priority) {
  if (priority >= 85) return 0;
  if (priority >= 70) return 1;
  if (priority >= 40) return 2;
  if (priority >= 20) return 3;
  return 4;
}

const char* band_name(int priority) {
  static constexpr const char* kNames[] = {"urgent", "high", "normal", "low", "idle"};
  return kNames[band_rank(priority)];
}

OrderKey order_key_of(const Job& job, bool overdue) {
  return {.band = static_cast<std::int8_t>(band_rank(job.priority)),
          .waiting = static_cast<std::int8_t>(overdue ? 0 : 1),
          .priority = static_cast<std::int16_t>(-job.priority),
          .submitted_at = job.submitted_at,
          .job = job.id};
}

ShapeKey shape_key_of(const Job& job) {
  return {.needs = job.spec->needs,
          .tenant = job.tenant,
          .group = job.spec->group,
          .array = job.task ? job.task->array : JobId{0},
          .time_limit = job.spec->time.limit};
}

void Pending::insert(const Job& job, bool overdue) {
  const OrderKey key = order_key_of(job, overdue);
  auto [entry, fresh] = shapes_.try_emplace(shape_key_of(job));
  Shape& shape = entry->second;
  if (fresh) {
    shape.key = entry->first;
    shape.id = next_shape_++;
  }
  const bool becomes_head = fresh || key < *shape.jobs.begin();
  if (becomes_head && !fresh) heads_.erase(Head{*shape.jobs.begin(), &shape});
  shape.jobs.insert(key);
  if (becomes_head) heads_.insert(Head{key, &shape});
  const bool inserted = places_.emplace(job.id, Place{&shape, key}).second;
  CHECK(inserted);
}

void Pending::erase(JobId id) {
  const auto place = places_.find(id);
  if (place == places_.end()) return;
  Shape& shape = *place->second.shape;
  const OrderKey key = place->second.key;
  places_.erase(place);
  const bool was_head = *shape.jobs.begin() == key;
  if (was_head) heads_.erase(Head{key, &shape});
  shape.jobs.erase(key);
  if (shape.jobs.empty()) {
    // The key is copied: erasing by a reference into the node would read freed memory.
    const ShapeKey gone = shape.key;
    shapes_.erase(gone);
  } else if (was_head) {
    heads_.insert(Head{*shape.jobs.begin(), &shape});
  }
}

PendingWalk::PendingWalk(const Pending& pending)
    : pending_(pending), fresh_(pending.heads_.begin()) {}

const OrderKey* PendingWalk::next() {
  const bool any_fresh = fresh_ != pending_.heads_.end();
  if (!any_fresh && opened_.empty()) return nullptr;
  if (any_fresh && (opened_.empty() || fresh_->key < *opened_.top().at)) {
    current_ = {fresh_->shape->jobs.begin(), fresh_->shape};
    ++fresh_;
  } else {
    current_ = opened_.top();
    opened_.pop();
  }
  return &*current_.at;
}

void PendingWalk::take() {
  const auto following = std::next(current_.at);
  if (following != current_.shape->jobs.end()) opened_.push({following, current_.shape});
}

}  // namespace gpusched
