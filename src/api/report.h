// What was used of the cards since a moment, added up by user or by card, from what is kept with
// the jobs. A job counts with the part of its last attempt that lies after that moment; means are
// weighted by the time that cards were held, so that a thousand short jobs do not hide a long one.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "core/model/job.h"
#include "core/state/state_view.h"
#include "wire/messages/machine.h"

namespace gpusched {

enum class ReportBy : unsigned char { kUser, kCard };

struct ReportAsked {
  ReportBy by = ReportBy::kUser;
  Wall since{};
  Wall until{};  // Now.
};

struct ReportSum {
  // By card a job on two cards is half a job of each: the rows add up to the total.
  double jobs = 0;
  double running = 0;        // Of them.
  double moves = 0;          // How often they were moved aside,
  double aside_seconds = 0;  // and for how long, on all their cards.
  double gpu_seconds = 0;
  // Byte-seconds of attempts whose use was seen: asked, and the highest that was used.
  double seen_seconds = 0, asked_byte_seconds = 0, peak_byte_seconds = 0;
  double busy_seconds = 0, busy_percent_seconds = 0;
  std::optional<double> energy_joules;
};

class Report {
 public:
  explicit Report(ReportAsked asked) : asked_(asked) {}
  // An ended job.
  void add_ended(const Job& job);
  // An active one, with what it used so far.
  void add_running(const Job& job, const std::optional<GpuUsage>& so_far);
  // The state gives names to the numbers of cards.
  wire::Report answer(const StateView& state) const;

 private:
  struct Part;  // Of one attempt.
  void add(const Job& job, const Part& part);

  ReportAsked asked_;
  std::map<std::string, ReportSum> users_;
  std::map<CardNumber, ReportSum> cards_;
  ReportSum without_card_;  // By card: what ran on CPUs alone.
  ReportSum total_;
};

}  // namespace gpusched
