#include "client/row_splitter.h"

namespace gpusched {

// Depth 1 is the document, 2 the array, 3 and more a row.
void RowSplitter::take(char c) {
  if (in_string_) {
    if (escaped_) {
      escaped_ = false;
    } else if (c == '\\') {
      escaped_ = true;
    } else if (c == '"') {
      in_string_ = false;
    }
    return;
  }
  if (c == '"') {
    in_string_ = true;
  } else if (c == '{' || c == '[') {
    ++depth_;
    if (depth_ == 2 && c == '[') in_array_ = true;
  } else if (c == '}' || c == ']') {
    --depth_;
    if (depth_ == 1 && in_array_) complete_ = true;
  }
}

void RowSplitter::feed(std::string_view bytes) {
  std::size_t begin = 0;  // Of what belongs to the current row.
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (complete_) {
      rest_.append(bytes.substr(i));
      return;
    }
    const bool was_row = in_array_ && depth_ >= 3;
    take(bytes[i]);
    const bool is_row = in_array_ && depth_ >= 3;
    if (!was_row && is_row) begin = i;
    if (was_row && !is_row) {
      current_.append(bytes.substr(begin, i + 1 - begin));
      row_(current_);
      current_.clear();
      begin = i + 1;
    }
  }
  if (in_array_ && depth_ >= 3) current_.append(bytes.substr(begin));
}

}  // namespace gpusched
