#include "history/test_places.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <cmath>
#include <filesystem>

namespace gpusched::history::testing {

TempDirectory::TempDirectory() {
  std::string name = std::filesystem::temp_directory_path() / "gpusched-history-XXXXXX";
  path_ = ::mkdtemp(name.data());
}
TempDirectory::~TempDirectory() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

Wall at(double seconds) {
  return Wall{Seconds{1'767'225'600}} + Microseconds{std::llround(seconds * 1e6)};
}

CardPoint card_point(int number, Wall when, std::optional<double> busy_percent) {
  CardPoint point;
  point.number = static_cast<CardNumber>(number);
  point.uuid = "GPU-" + std::to_string(number);
  point.at = when;
  point.busy_percent = busy_percent;
  return point;
}

Points points_of(CardPoint point) {
  Points points;
  points.cards.push_back(std::move(point));
  return points;
}

const Series& series_named(const Line& line, const std::string& name) {
  for (const Series& series : line.series) {
    if (series.name == name) return series;
  }
  ADD_FAILURE() << "no series " << name;
  static const Series kNone;
  return kNone;
}

}  // namespace gpusched::history::testing
