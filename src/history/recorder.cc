#include "history/recorder.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "history/history_place.h"

namespace gpusched::history {
namespace {

// So much is lost with the power, at most.
constexpr Seconds kSaveLeast{30};
constexpr Seconds kSaveMost{600};
// Deleting is paced: a pass never holds up a question for long.
constexpr int kRowsPerPass = 256;
constexpr int kRowsPerRound = 64;
constexpr int kRounds = 16;
// Left behind by a clock that was wrong.
constexpr Seconds kFutureMost{86'400};
constexpr std::int64_t kBlocksEnumerated = 100'000;

Result<void> all_of(std::initializer_list<Result<void>> results) {
  for (const Result<void>& each : results) {
    if (!each) return each;
  }
  return {};
}

}  // namespace

Result<std::unique_ptr<Recorder>> Recorder::open(const std::string& path, RecorderOptions options,
                                                 bool& damaged) {
  std::unique_ptr<Recorder> recorder(new Recorder(path, options));
  Result<std::unique_ptr<HistoryFile>> file = HistoryFile::open(path, options.vfs, damaged);
  if (!file) return failure(file.error());
  recorder->file_ = std::move(*file);
  Result<std::vector<KnownCard>> cards = recorder->file_->cards();
  if (!cards) {
    damaged = recorder->damaged();
    return failure(cards.error());
  }
  for (const KnownCard& card : *cards) {
    recorder->cards_.emplace(
        card.uuid, CardTrack{card.owner, card.number, Track(card_metrics(), options.tiers)});
  }
  return recorder;
}

Result<Block> Recorder::load(const BlockKey& key, Seconds width, std::span<const Metric> metrics) {
  Block block(key.start, width, metrics.size());
  Result<std::optional<std::string>> bytes = file_->load(key);
  if (!bytes) return failure(bytes.error());
  // A row that cannot be read is a gap; the file around it passed SQLite's own check.
  if (*bytes && !unpack(**bytes, metrics, block)) return Block(key.start, width, metrics.size());
  return block;
}

Shelf Recorder::card_shelf(Owner owner) {
  return {
      [this, owner](std::size_t tier, Wall start) {
        return load({card_space(tier), start, owner}, options_.tiers[tier].width, card_metrics());
      },
      [this, owner](std::size_t tier, const Block& block) {
        return file_->save({card_space(tier), block.start(), owner}, pack(block, card_metrics()));
      }};
}

Shelf Recorder::job_shelf(Owner owner) {
  return {[this, owner](std::size_t tier, Wall start) {
            return load({job_space(tier), start, owner}, job_tiers_[tier].width, job_metrics());
          },
          [this, owner](std::size_t tier, const Block& block) {
            // What forgetting must look through.
            return all_of(
                {file_->stretch(owner, block.start()),
                 file_->save({job_space(tier), block.start(), owner}, pack(block, job_metrics()))});
          }};
}

Result<void> Recorder::add_card(const CardPoint& point) {
  auto found = cards_.find(point.uuid);
  if (found == cards_.end() || found->second.number != point.number) {
    Result<Owner> owner = file_->put_card(point.uuid, point.number);
    if (!owner) return failure(owner.error());
    for (auto& [uuid, card] : cards_) {
      if (card.number == point.number) card.number.reset();
    }
    found = cards_
                .try_emplace(point.uuid,
                             CardTrack{*owner, std::nullopt, Track(card_metrics(), options_.tiers)})
                .first;
    found->second.number = point.number;
  }
  CardTrack& card = found->second;
  return card.track.add(point.at, values_of(point), card_shelf(card.owner));
}

Result<void> Recorder::add_attempt(const JobPoint& point) {
  auto found = attempts_.find(point.attempt);
  if (found == attempts_.end()) {
    Result<Owner> owner = file_->put_attempt(point.attempt, point.at);
    if (!owner) return failure(owner.error());
    found =
        attempts_.try_emplace(point.attempt, AttemptTrack{*owner, Track(job_metrics(), job_tiers_)})
            .first;
  }
  AttemptTrack& attempt = found->second;
  return attempt.track.add(point.at, values_of(point), job_shelf(attempt.owner));
}

Result<void> Recorder::add(const Points& points) {
  for (const CardPoint& point : points.cards) {
    if (point.uuid.empty() || !fits_key(point.at)) continue;
    clock_.note(point.at);
    if (Result<void> added = add_card(point); !added) return added;
  }
  for (const JobPoint& point : points.jobs) {
    if (!fits_key(point.at)) continue;
    if (!clock_.newest() || *clock_.newest() < point.at) clock_.note(point.at);
    if (Result<void> added = add_attempt(point); !added) return added;
  }
  if (Result<void> saved = save_what_is_due(); !saved) return saved;
  return file_->commit();
}

Result<void> Recorder::save_what_is_due() {
  if (!clock_.newest()) return {};
  const Wall now = *clock_.newest();
  for (std::size_t tier = 0; tier < kTiers; ++tier) {
    const Seconds period = std::clamp(options_.tiers[tier].width, kSaveLeast, kSaveMost);
    std::optional<Wall>& before = saved_at_[tier];
    if (!before) before = now;
    // Also when the clock has gone back.
    if (now - *before < period && *before - now < period) continue;
    before = now;
    if (Result<void> saved = save_tier(tier); !saved) return saved;
    if (tier > 0) continue;
    drop_idle_attempts();
    if (Result<void> done = require_space(path_, options_.keep_free_bytes); !done) return done;
    if (Result<void> done = prune(); !done) return done;
  }
  return {};
}

Result<void> Recorder::save_tier(std::size_t tier) {
  for (auto& [uuid, card] : cards_) {
    if (auto saved = card.track.save(tier, card_shelf(card.owner)); !saved) return saved;
  }
  for (auto& [id, attempt] : attempts_) {
    // One without points since last time leaves memory next, so nothing of it may wait.
    const Shelf shelf = job_shelf(attempt.owner);
    const Result<void> saved =
        tier == 0 ? attempt.track.save_all(shelf) : attempt.track.save(tier, shelf);
    if (!saved) return saved;
  }
  return {};
}

void Recorder::drop_idle_attempts() {
  for (auto it = attempts_.begin(); it != attempts_.end();) {
    it = it->second.track.take_used() ? std::next(it) : attempts_.erase(it);
  }
}

Result<void> Recorder::save_all() {
  for (std::size_t tier = 0; tier < kTiers; ++tier) {
    if (Result<void> saved = save_tier(tier); !saved) return saved;
  }
  return file_->commit();
}

Result<void> Recorder::prune() {
  if (clock_.steady()) {
    const Wall newest = *clock_.newest();
    for (std::size_t i = 0; i < kTiers; ++i) {
      auto done = prune_space(card_space(i), options_.tiers[i], newest);
      if (!done) return done;
    }
    for (std::size_t i = 0; i < kJobTiers; ++i) {
      auto done = prune_space(job_space(i), job_tiers_[i], newest);
      if (!done) return done;
    }
  }
  return bound_size();
}

Result<void> Recorder::prune_space(Space space, const Tier& tier, Wall newest) {
  // A block goes when its last bucket is too old.
  const Seconds length = tier.width * kBuckets;
  if (tier.keep < kForever) {
    auto removed = file_->remove_before(space, newest - tier.keep - length, kRowsPerPass);
    if (!removed) return failure(removed.error());
  }
  auto removed = file_->remove_after(space, newest + kFutureMost + length, kRowsPerPass);
  if (!removed) return failure(removed.error());
  return {};
}

Result<void> Recorder::bound_size() {
  for (int round = 0; round < kRounds; ++round) {
    Result<std::uint64_t> used = file_->used_bytes();
    if (!used) return failure(used.error());
    if (*used <= options_.size_most) return {};
    // What is oldest of all goes first; by nature that is the coarsest there is.
    std::optional<Space> from;
    Wall oldest = Wall::max();
    for (std::size_t i = 0; i < kTiers + kJobTiers; ++i) {
      const Space space = i < kTiers ? card_space(i) : job_space(i - kTiers);
      Result<std::optional<Wall>> start = file_->oldest(space);
      if (!start) return failure(start.error());
      if (!*start || **start >= oldest) continue;
      oldest = **start;
      from = space;
    }
    if (!from) return {};
    auto removed = file_->remove_before(*from, Wall::max(), kRowsPerRound);
    if (!removed) return failure(removed.error());
  }
  return file_->shrink();
}

Result<void> Recorder::forget_attempt(const KnownAttempt& known) {
  attempts_.erase(known.attempt);
  for (std::size_t tier = 0; tier < kJobTiers; ++tier) {
    const Seconds width = job_tiers_[tier].width;
    const Seconds length = width * kBuckets;
    const Wall last = block_start(known.last, width);
    // What is older than the tier is kept goes by age.
    const Wall first = std::max(known.first, last - job_tiers_[tier].keep - 2 * length);
    // A clock that jumped has torn it far apart.
    if ((last - first) / length > kBlocksEnumerated) {
      if (auto done = file_->remove_all_of(job_space(tier), known.owner); !done) return done;
      continue;
    }
    for (Wall start = block_start(first, width); start <= last; start += length) {
      auto removed = file_->remove({job_space(tier), start, known.owner});
      if (!removed) return removed;
    }
  }
  return file_->remove_attempt(known.owner);
}

Result<void> Recorder::forget(JobId job) {
  Result<std::vector<KnownAttempt>> attempts = file_->attempts_of(job);
  if (!attempts) return failure(attempts.error());
  for (const KnownAttempt& attempt : *attempts) {
    if (Result<void> done = forget_attempt(attempt); !done) return done;
  }
  return file_->commit();
}

Result<void> Recorder::forget_all_but(const std::vector<JobId>& kept) {
  Result<std::vector<JobId>> jobs = file_->jobs();
  if (!jobs) return failure(jobs.error());
  for (const JobId job : *jobs) {
    if (std::ranges::binary_search(kept, job)) continue;
    if (Result<void> done = forget(job); !done) return done;
  }
  return {};
}

}  // namespace gpusched::history
