// Cuts the rows out of a streamed list while it arrives: {"schema":1,"jobs":[{…},{…}]}. A list of
// 100,000 jobs is read row by row and never held as a whole text or tree.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace gpusched {

class RowSplitter {
 public:
  // `row` gets the JSON text of each object in the first array of the document.
  explicit RowSplitter(std::function<void(std::string_view)> row) : row_(std::move(row)) {}
  void feed(std::string_view bytes);
  // True once the array has been closed.
  bool complete() const { return complete_; }
  // What comes after it: `,"sweeps":[…]}`.
  const std::string& rest() const { return rest_; }

 private:
  void take(char c);

  std::function<void(std::string_view)> row_;
  std::string current_;
  std::string rest_;
  int depth_ = 0;  // Of braces and brackets.
  bool in_array_ = false;
  bool in_string_ = false;
  bool escaped_ = false;
  bool complete_ = false;
};

}  // namespace gpusched
