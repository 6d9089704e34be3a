// What goes into the history and what comes out of it, as values: the daemon hands in points, the
// API asks and shows the answer. Absent is unknown, never zero: a point without a field leaves the
// series as it is, and a span of time without points is a gap in the answer.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "core/model/ids.h"

namespace gpusched::history {

// One look at one card. Cards are told apart by UUID; the number is the one they have now.
struct CardPoint {
  CardNumber number{};
  std::string uuid;
  Wall at{};
  std::optional<double> busy_percent;
  std::optional<std::uint64_t> used_bytes;
  std::optional<double> sm_active_percent;
  std::optional<double> dram_active_percent;
  std::optional<double> power_watts;
  std::optional<double> temperature_c;
  std::optional<std::uint64_t> held_vram_bytes;  // Handed out to jobs.
  std::optional<int> jobs;                       // That hold the card.
  std::optional<int> foreign_processes;          // Absent: the driver does not list processes.
};

// One look at one attempt, all its cards together.
struct JobPoint {
  AttemptId attempt;
  Wall at{};
  std::optional<std::uint64_t> vram_bytes;
  std::optional<double> busy_percent;
};

struct Points {
  std::vector<CardPoint> cards;
  std::vector<JobPoint> jobs;
};

// Cards, or with `job` the attempts of that job.
struct Question {
  Wall from{};
  Wall to{};
  std::size_t points = 120;        // About so many; the answer says how far they lie apart.
  std::optional<Seconds> step;     // Instead of a number of points.
  std::optional<CardNumber> card;  // Absent: every card.
  std::optional<JobId> job;
};

// One value per step from Answer::from on.
struct Series {
  std::string name;    // "busy_percent", "used_bytes", "used_bytes_max", …
  bool whole = false;  // Bytes: no fractions.
  std::vector<std::optional<double>> values;
};

// What is known of one card or one attempt.
struct Line {
  std::optional<CardNumber> number;  // Absent: the card is no longer in the machine.
  std::string uuid;                  // Empty: an attempt.
  AttemptId attempt;
  std::vector<Series> series;
};

struct Answer {
  Wall from{};
  Wall to{};
  Seconds step{1};
  std::vector<Line> lines;
};

}  // namespace gpusched::history
