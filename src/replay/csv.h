// A CSV file whose first line names its columns. Cells are views into the text; quotes have no
// meaning, as in none of the formats we read.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace gpusched::replay {

// Without the blanks and the carriage return around them.
std::vector<std::string_view> cells_of(std::string_view line);

class CsvReader {
 public:
  // Columns by name, in any order in the file; more may be there. The last `optional` of them may
  // be missing: their cells are empty then.
  static Result<CsvReader> open(std::string_view text, std::span<const std::string_view> columns,
                                std::size_t optional = 0);

  // False at the end. Empty lines and remarks (#) are passed over.
  Result<bool> next();
  std::size_t line() const { return line_; }
  // By position in `columns`.
  std::string_view text(std::size_t column) const {
    return place_[column] == kMissing ? std::string_view() : cells_[place_[column]];
  }
  Result<std::int64_t> whole(std::size_t column, std::int64_t most) const;
  Result<double> number(std::size_t column, double most) const;
  tl::unexpected<Error> wrong(const std::string& why) const;

 private:
  static constexpr std::size_t kMissing = static_cast<std::size_t>(-1);
  std::string_view take_line();

  std::string_view rest_;
  std::size_t line_ = 0;
  std::size_t width_ = 0;
  std::vector<std::string_view> names_;
  std::vector<std::size_t> place_;
  std::vector<std::string_view> cells_;
};

// What `read(row)` makes of each row: a Result<T>; the first error ends it.
template <class T, class Read>
Result<std::vector<T>> read_rows(std::string_view text, std::span<const std::string_view> columns,
                                 Read read, std::size_t optional = 0) {
  auto rows = CsvReader::open(text, columns, optional);
  if (!rows) return failure(rows.error());
  std::vector<T> all;
  while (true) {
    const auto more = rows->next();
    if (!more) return failure(more.error());
    if (!*more) return all;
    auto one = read(*rows);
    if (!one) return failure(one.error());
    all.push_back(std::move(*one));
  }
}

}  // namespace gpusched::replay
