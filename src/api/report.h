// What was done between two moments, added up by user, card or something else: from the sums of
// work that are kept day by day, or, for the last hours, from the jobs themselves. Means are
// weighted by the time that cards were held, so that a thousand short jobs do not hide a long one.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "core/model/job.h"
#include "core/model/report_prices.h"
#include "core/model/work_sum.h"
#include "core/state/state_view.h"
#include "wire/messages/report.h"

namespace gpusched {

enum class ReportBy : unsigned char { kUser, kCard, kTenant, kProject, kName, kProgram, kHour };
std::optional<ReportBy> report_by_named(std::string_view name);

struct ReportAsked {
  ReportBy by = ReportBy::kUser;
  Wall since{};
  Wall until{};
  bool from_days = false;  // By the sums of days; else by single jobs.
};

struct ReportSum {
  WorkSums work;
  double running = 0;  // Of the jobs.
  std::string model;
};

class Report {
 public:
  explicit Report(ReportAsked asked) : asked_(asked) {}
  const ReportAsked& asked() const { return asked_; }
  // An ended job.
  void add_ended(const Job& job);
  // An active one, with what it used so far. Hidden: who asks may not see it.
  void add_running(const Job& job, const std::optional<GpuUsage>& so_far, bool hidden = false);
  void add(const WorkKey& key, const WorkSums& sums, double running = 0);
  // Of somebody else: only how much it was.
  void add_hidden(const WorkKey& key, const WorkSums& sums, double running = 0);
  // More is counted than was asked for: days and months count whole.
  void counts(Wall since, Wall until) {
    asked_.since = since;
    asked_.until = until;
  }
  // Of programs of all but this user only the first word is told: the rest are arguments.
  void hide_arguments(std::string but_of) { arguments_of_ = std::move(but_of); }
  void note(std::string words) { notes_.push_back(std::move(words)); }

  // The state gives names to the numbers of cards.
  wire::Report answer(const StateView& state, const ReportPrices& prices = {}) const;

 private:
  // Rows in their order: numbers of cards and hours, else words.
  struct Row {
    int number = 0;
    std::string word;
    friend auto operator<=>(const Row&, const Row&) = default;
  };
  Row row_of(const WorkKey& key) const;
  void add_hours(const WorkSums& sums);
  void add_to_all(const WorkKey& key, const WorkSums& sums, double running);
  wire::ReportRow named(const Row& row, const ReportSum& sum, const StateView& state,
                        const ReportPrices& prices) const;
  void fill_matrix(wire::Report& answer) const;

  ReportAsked asked_;
  std::optional<std::string> arguments_of_;
  std::map<Row, ReportSum> rows_;
  ReportSum total_;
  ReportSum others_;
  bool any_hidden_ = false;
  std::map<std::pair<int, bool>, WorkSums> days_;  // Without waits. True: of the whole month.
  std::map<std::pair<std::string, std::string>, double> waited_for_;
  std::vector<std::string> notes_;
};

}  // namespace gpusched
