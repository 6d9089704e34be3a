#include "core/state/pending.h"

#include <algorithm>
#include <tuple>

#include "base/check.h"

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

OrderKey order_key_of(const Job& job, bool overdue, std::optional<Wall> start_by) {
  const auto band = static_cast<std::int8_t>(band_rank(job.priority));
  if (start_by && !overdue) {
    return {.band = band,
            .waiting = 1,
            .priority = 0,
            .submitted_at = *start_by,
            .rank = job.id,
            .job = job.id};
  }
  const QueuePlace place = queue_place_of(job);
  return {.band = band,
          .waiting = static_cast<std::int8_t>(overdue ? 0 : 2),
          .priority = static_cast<std::int16_t>(-job.priority),
          .submitted_at = place.at,
          .rank = place.rank,
          .job = job.id};
}

bool starts_before(const OrderKey& a, std::int8_t standing_a, const OrderKey& b,
                   std::int8_t standing_b) {
  if (standing_a == standing_b) return a < b;
  return std::tuple(a.band, a.waiting, standing_a) < std::tuple(b.band, b.waiting, standing_b);
}

ShapeKey shape_key_of(const Job& job, SignatureId signature) {
  return {.needs = job.spec->needs,
          .whose = {job.tenant, job.spec->project},
          .group = job.spec->group,
          .array = job.task ? job.task->array : JobId{0},
          .time_limit = job.spec->time.limit,
          .signature = signature,
          .sweep_signature = signature == SignatureId{} ? SignatureId{} : job.sweep_signature,
          .program_signature = signature == SignatureId{} ? SignatureId{} : job.program_signature,
          .vram_floor_bytes = job.vram_floor_bytes};
}

CardAsk card_ask_of(const ShapeKey& key) {
  if (key.signature == SignatureId{}) return card_ask_of(key.needs);
  return {.vram_bytes = 0,
          .share_percent = 0,
          .whole = key.needs.exclusive,
          .by_history = true,
          .cards = key.needs.gpus.least};
}

Pending::Kind Pending::kind_of(const Shape& shape) {
  const Needs& needs = shape.key.needs;
  return needs.wants_cards() && needs.cpu_use == CpuUse::kNever ? kNeedsCard : kMayUseCpus;
}

Pending::Pending(const Pending& other)
    : shapes_(other.shapes_), programs_(other.programs_), next_shape_(other.next_shape_) {
  places_.reserve(other.places_.size());
  for (auto& [key, shape] : shapes_) {
    for (auto at = shape.jobs.begin(); at != shape.jobs.end(); ++at) {
      places_.emplace(at->job, Place{&shape, at});
    }
    add_head(shape);
  }
}

Pending& Pending::operator=(const Pending& other) {
  if (this != &other) *this = Pending(other);
  return *this;
}

void Pending::add_head(const Shape& shape) {
  queues_[shape.key.whose].heads_[kind_of(shape)].insert(
      Head{*shape.jobs.begin(), &shape, card_ask_of(shape.key)});
}

void Pending::remove_head(const Shape& shape, const OrderKey& key) {
  const auto queue = queues_.find(shape.key.whose);
  queue->second.heads_[kind_of(shape)].erase(Head{key, &shape});
  const auto& heads = queue->second.heads_;
  if (heads[kNeedsCard].empty() && heads[kMayUseCpus].empty()) queues_.erase(queue);
}

void Pending::insert(const Job& job, bool overdue, SignatureId signature,
                     std::optional<Wall> start_by) {
  const OrderKey key = order_key_of(job, overdue, start_by);
  auto [entry, fresh] = shapes_.try_emplace(shape_key_of(job, signature));
  Shape& shape = entry->second;
  if (fresh) {
    shape.key = entry->first;
    shape.id = next_shape_++;
    if (shape.key.program_signature != SignatureId{}) ++programs_[shape.key.program_signature];
  }
  const bool becomes_head = fresh || key < *shape.jobs.begin();
  if (becomes_head && !fresh) remove_head(shape, *shape.jobs.begin());
  const auto at = shape.jobs.insert(key).first;
  if (becomes_head) add_head(shape);
  const bool inserted = places_.emplace(job.id, Place{&shape, at}).second;
  CHECK(inserted);
}

void Pending::erase(JobId id) {
  const auto place = places_.find(id);
  if (place == places_.end()) return;
  Shape& shape = *place->second.shape;
  const auto at = place->second.at;
  places_.erase(place);
  const bool was_head = at == shape.jobs.begin();
  if (was_head) remove_head(shape, *at);
  shape.jobs.erase(at);
  if (shape.jobs.empty()) {
    // The key is copied: erasing by a reference into the node would read freed memory.
    const ShapeKey gone = shape.key;
    shapes_.erase(gone);
    const auto program = programs_.find(gone.program_signature);
    if (program != programs_.end() && --program->second == 0) programs_.erase(program);
  } else if (was_head) {
    add_head(shape);
  }
}

namespace {

// Orders as starts_before() does, as far as it goes.
std::uint32_t rank_of(const OrderKey& key, std::int8_t standing) {
  constexpr int kPriorityAtLeast = -(1 << 12);
  return static_cast<std::uint32_t>((key.band << 24) | (key.waiting << 20) | (standing << 16) |
                                    (key.priority - kPriorityAtLeast));
}

}  // namespace

PendingWalk::PendingWalk(const Pending& pending, const std::vector<std::int8_t>& standings) {
  CHECK(standings.empty() || standings.size() == pending.queues().size());
  sources_.reserve(pending.queues().size());
  const std::string* tenant = nullptr;
  std::uint32_t first_of_tenant = 0;
  for (const auto& [whose, queue] : pending.queues()) {
    const auto index = static_cast<std::uint32_t>(sources_.size());
    if (tenant == nullptr || *tenant != whose.tenant) first_of_tenant = index;
    tenant = &whose.tenant;
    Source source{.queue = &queue, .tenant = first_of_tenant, .at = {}};
    for (int kind = 0; kind < Pending::kKinds; ++kind) source.at[kind] = queue.heads_[kind].begin();
    if (!standings.empty()) source.standing = standings[sources_.size()];
    sources_.push_back(source);
    look(sources_.back());
    if (sources_.back().first != Pending::kKinds) heap_.push_back(index);
  }
  std::ranges::make_heap(heap_, [this](auto a, auto b) { return later(a, b); });
}

// Which of the source's shapes comes first now.
void PendingWalk::look(Source& source) const {
  source.first = Pending::kKinds;
  const Source& tenant = sources_[source.tenant];
  if (tenant.gone) return;
  for (int kind = 0; kind < Pending::kKinds; ++kind) {
    const bool left = kind == Pending::kNeedsCard && (cards_left_ || tenant.cards_gone);
    if (left || source.at[kind] == source.queue->heads_[kind].end()) continue;
    const OrderKey& key = source.at[kind]->key;
    if (source.first != Pending::kKinds && !(key < source.key)) continue;
    source.first = kind;
    source.key = key;
  }
  if (source.first != Pending::kKinds) source.rank = rank_of(source.key, source.standing);
}

bool PendingWalk::later(std::uint32_t a, std::uint32_t b) const {
  const Source& one = sources_[a];
  const Source& other = sources_[b];
  if (one.rank != other.rank) return other.rank < one.rank;
  if (one.key.submitted_at != other.key.submitted_at) {
    return other.key.submitted_at < one.key.submitted_at;
  }
  if (one.key.rank != other.key.rank) return other.key.rank < one.key.rank;
  return other.key.job < one.key.job;
}

// The source on top has moved on: back to its place, or out.
void PendingWalk::place_top() {
  const std::uint32_t top = heap_.front();
  look(sources_[top]);
  if (sources_[top].first == Pending::kKinds) {
    std::ranges::pop_heap(heap_, [this](auto a, auto b) { return later(a, b); });
    heap_.pop_back();
    return;
  }
  std::size_t at = 0;
  for (std::size_t child = 1; child < heap_.size(); child = 2 * at + 1) {
    if (child + 1 < heap_.size() && later(heap_[child], heap_[child + 1])) ++child;
    if (!later(top, heap_[child])) break;
    heap_[at] = heap_[child];
    at = child;
  }
  heap_[at] = top;
}

void PendingWalk::step_top() {
  Source& source = sources_[heap_.front()];
  ++source.at[source.first];
  place_top();
}

const Pending::Head* PendingWalk::next_fresh() const {
  if (heap_.empty()) return nullptr;
  const Source& first = sources_[heap_.front()];
  if (!opened_.empty() &&
      !starts_before(first.key, first.standing, *opened_.top().key, opened_.top().standing)) {
    return nullptr;
  }
  return &*first.at[first.first];
}

bool PendingWalk::is_left(std::uint32_t source, bool needs_card) const {
  const Source& one = sources_[sources_[source].tenant];
  return one.gone || (needs_card && (cards_left_ || one.cards_gone));
}

// A source that was left since goes when it comes to the top; a source can only move back.
void PendingWalk::drop_left() {
  while (!heap_.empty() &&
         is_left(heap_.front(), sources_[heap_.front()].first == Pending::kNeedsCard)) {
    place_top();
  }
  while (!opened_.empty() && is_left(opened_.top().source, opened_.top().needs_card)) {
    opened_.pop();
  }
}

const OrderKey* PendingWalk::next() {
  drop_left();
  if (heap_.empty() && opened_.empty()) return nullptr;
  if (const Pending::Head* head = next_fresh()) {
    const std::uint32_t index = heap_.front();
    const Source& source = sources_[index];
    current_ = {.at = {},
                .key = &head->key,
                .shape = head->shape,
                .ask = head->ask,
                .source = index,
                .standing = source.standing,
                .needs_card = source.first == Pending::kNeedsCard,
                .fresh = true};
    step_top();
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
  current_.key = &*current_.at;
  opened_.push(current_);
}

void PendingWalk::leave_cards() { cards_left_ = true; }
void PendingWalk::leave_tenant() { tenant_of(current_.source).gone = true; }
void PendingWalk::leave_tenant_cards() { tenant_of(current_.source).cards_gone = true; }

}  // namespace gpusched
