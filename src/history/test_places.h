// For tests: a directory that is removed at the end, and points without much writing.
#pragma once

#include <optional>
#include <string>

#include "history/series.h"

namespace gpusched::history::testing {

class TempDirectory {
 public:
  TempDirectory();
  ~TempDirectory();
  TempDirectory(const TempDirectory&) = delete;
  TempDirectory& operator=(const TempDirectory&) = delete;
  const std::string& path() const { return path_; }
  std::string file() const { return path_ + "/history.db"; }

 private:
  std::string path_;
};

// A round moment, 2026-01-01T00:00:00Z, plus so many seconds.
Wall at(double seconds);
CardPoint card_point(int number, Wall when, std::optional<double> busy_percent);
Points points_of(CardPoint point);

// The series of that name; fails the test if there is none.
const Series& series_named(const Line& line, const std::string& name);

}  // namespace gpusched::history::testing
