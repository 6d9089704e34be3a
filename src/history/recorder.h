// Keeps the history in its file: takes points, answers questions, forgets what is old. All of it
// on one thread and without a clock: time is what the points say. An error means that the file
// can no longer be used; history.h decides what becomes of it.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "history/clock_watch.h"
#include "history/history_file.h"
#include "history/plan.h"
#include "history/series.h"
#include "history/tiers.h"
#include "history/track.h"

namespace gpusched::history {

struct RecorderOptions {
  Tiers tiers = kDefaultTiers;
  std::uint64_t size_most = 256ULL << 20;
  std::uint64_t keep_free_bytes = 0;  // Of the disk.
  const char* vfs = nullptr;          // For tests: another file layer than the system's.
};

class Recorder {
 public:
  // `damaged` says whether an error lies in the file's content.
  static Result<std::unique_ptr<Recorder>> open(const std::string& path, RecorderOptions options,
                                                bool& damaged);

  Result<void> add(const Points& points);
  Result<Answer> answer(const Question& question);
  Result<void> forget(JobId job);
  // What was forgotten by the queue while nobody told us. REQUIRES: sorted.
  Result<void> forget_all_but(const std::vector<JobId>& kept);
  // Everything that is only in memory, the open buckets too.
  Result<void> save_all();
  bool damaged() const { return file_->damaged(); }

 private:
  struct CardTrack {
    Owner owner{};
    std::optional<CardNumber> number;
    Track track;
  };
  struct AttemptTrack {
    Owner owner{};
    Track track;
  };
  Recorder(std::string path, RecorderOptions options)
      : path_(std::move(path)), options_(options), job_tiers_(job_tiers(options.tiers)) {}

  Result<void> add_card(const CardPoint& point);
  Result<void> add_attempt(const JobPoint& point);
  Result<void> save_what_is_due();
  Result<void> save_tier(std::size_t tier);
  void drop_idle_attempts();
  Result<void> prune();
  Result<void> prune_space(Space space, const Tier& tier, Wall newest);
  Result<void> bound_size();
  Result<void> forget_attempt(const KnownAttempt& known);
  Result<Gathering> gathered(const Plan& plan, const Track* track, const Shelf& shelf,
                             std::span<const Metric> metrics);
  Result<Answer> answer_cards(const Question& question, Answer answer, const Plan& plan);
  Result<Answer> answer_job(JobId job, Answer answer, const Plan& plan);
  Shelf card_shelf(Owner owner);
  Shelf job_shelf(Owner owner);
  Result<Block> load(const BlockKey& key, Seconds width, std::span<const Metric> metrics);

  std::string path_;
  RecorderOptions options_;
  Tiers job_tiers_;
  std::unique_ptr<HistoryFile> file_;
  std::map<std::string, CardTrack> cards_;  // By UUID.
  std::map<AttemptId, AttemptTrack> attempts_;
  ClockWatch clock_;
  std::array<std::optional<Wall>, kTiers> saved_at_;
};

}  // namespace gpusched::history
