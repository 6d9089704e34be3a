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

ShapeKey shape_key_of(const Job& job, SignatureId signature) {
  return {.needs = job.spec->needs,
          .tenant = job.tenant,
          .group = job.spec->group,
          .array = job.task ? job.task->array : JobId{0},
          .time_limit = job.spec->time.limit,
          .signature = signature,
          .vram_floor_bytes = job.vram_floor_bytes};
}

CardAsk card_ask_of(const ShapeKey& key) {
  if (key.signature == SignatureId{}) return card_ask_of(key.needs);
  return {.vram_bytes = 0, .share_percent = 0, .whole = key.needs.exclusive, .by_history = true};
}

Pending::Kind Pending::kind_of(const Shape& shape) {
  const Needs& needs = shape.key.needs;
  return needs.wants_cards() && needs.cpu_use == CpuUse::kNever ? kNeedsCard : kMayUseCpus;
}

void Pending::insert(const Job& job, bool overdue, SignatureId signature) {
  const OrderKey key = order_key_of(job, overdue);
  auto [entry, fresh] = shapes_.try_emplace(shape_key_of(job, signature));
  Shape& shape = entry->second;
  if (fresh) {
    shape.key = entry->first;
    shape.id = next_shape_++;
  }
  const bool becomes_head = fresh || key < *shape.jobs.begin();
  std::set<Head>& heads = heads_[kind_of(shape)];
  if (becomes_head && !fresh) heads.erase(Head{*shape.jobs.begin(), &shape});
  shape.jobs.insert(key);
  if (becomes_head) heads.insert(Head{key, &shape, card_ask_of(shape.key)});
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
  std::set<Head>& heads = heads_[kind_of(shape)];
  if (was_head) heads.erase(Head{key, &shape});
  shape.jobs.erase(key);
  if (shape.jobs.empty()) {
    // The key is copied: erasing by a reference into the node would read freed memory.
    const ShapeKey gone = shape.key;
    shapes_.erase(gone);
  } else if (was_head) {
    heads.insert(Head{*shape.jobs.begin(), &shape, card_ask_of(shape.key)});
  }
}

PendingWalk::PendingWalk(const Pending& pending) : pending_(pending) {
  for (int kind = 0; kind < Pending::kKinds; ++kind) fresh_[kind] = pending.heads_[kind].begin();
}

const OrderKey* PendingWalk::next() {
  auto* first = &fresh_[Pending::kMayUseCpus];
  bool any_fresh = *first != pending_.heads_[Pending::kMayUseCpus].end();
  auto& needing_card = fresh_[Pending::kNeedsCard];
  if (!cards_left_ && needing_card != pending_.heads_[Pending::kNeedsCard].end() &&
      (!any_fresh || needing_card->key < (*first)->key)) {
    first = &needing_card;
    any_fresh = true;
  }
  if (!any_fresh && opened_.empty()) return nullptr;
  if (any_fresh && (opened_.empty() || (*first)->key < *opened_.top().key)) {
    const Pending::Head& head = **first;
    current_ = {.at = {},
                .key = &head.key,
                .shape = head.shape,
                .ask = head.ask,
                .needs_card = first == &needing_card,
                .fresh = true};
    ++*first;
  } else {
    current_ = opened_.top();
    opened_.pop();
  }
  return current_.key;
}

void PendingWalk::take() {
  if (current_.fresh) current_.at = current_.shape->jobs.begin();
  current_.fresh = false;
  ++current_.at;
  if (current_.at == current_.shape->jobs.end()) return;
  if (cards_left_ && current_.needs_card) return;
  current_.key = &*current_.at;
  opened_.push(current_);
}

void PendingWalk::leave_cards() {
  if (cards_left_) return;
  cards_left_ = true;
  decltype(opened_) kept;
  for (; !opened_.empty(); opened_.pop()) {
    if (!opened_.top().needs_card) kept.push(opened_.top());
  }
  opened_ = std::move(kept);
}

}  // namespace gpusched
