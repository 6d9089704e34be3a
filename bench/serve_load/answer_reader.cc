#include "answer_reader.h"

#include <algorithm>
#include <charconv>

#include "base/text.h"

namespace gpusched {
namespace {

constexpr std::size_t kHeadMost = 64U << 10;
constexpr std::size_t kBeginning = 4096;

bool read_number(std::string_view text, std::size_t& number, int base) {
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number, base);
  return read.ec == std::errc();
}

// The value of a header, without the blanks around it; empty: it has none of that name.
std::string header_in(const std::string& lower_head, std::string_view name) {
  const auto at = lower_head.find("\r\n" + std::string(name) + ":");
  if (at == std::string::npos) return {};
  const auto begin = lower_head.find_first_not_of(' ', at + name.size() + 3);
  return lower_head.substr(begin, lower_head.find("\r\n", begin) - begin);
}

}  // namespace

bool AnswerReader::take_head(const std::string& head) {
  std::size_t status = 0;
  if (!head.starts_with("HTTP/1.") || !read_number(std::string_view(head).substr(9), status, 10)) {
    return false;
  }
  answer_ = {.status = static_cast<int>(status)};
  const std::string lower = lower_case(head);
  if (header_in(lower, "transfer-encoding") == "chunked") {
    part_ = Part::kChunkSize;
    return true;
  }
  left_ = 0;
  const std::string length = header_in(lower, "content-length");
  if (!length.empty() && !read_number(length, left_, 10)) return false;
  part_ = Part::kCounted;
  if (left_ == 0) finish();
  return true;
}

bool AnswerReader::take_line(std::string_view& bytes, std::string& line) {
  const auto end = bytes.find('\n');
  line_ += bytes.substr(0, end);
  bytes.remove_prefix(end == std::string_view::npos ? bytes.size() : end + 1);
  if (end == std::string_view::npos) return false;
  line = std::exchange(line_, {});
  return true;
}

void AnswerReader::take_body(std::string_view& bytes) {
  const std::string_view piece = bytes.substr(0, left_);
  bytes.remove_prefix(piece.size());
  left_ -= piece.size();
  answer_.bytes += piece.size();
  if (answer_.beginning.size() < kBeginning) answer_.beginning += piece.substr(0, kBeginning);
  if (on_piece) on_piece(piece);
}

void AnswerReader::finish() {
  part_ = Part::kHead;
  if (on_answer) on_answer(answer_);
}

bool AnswerReader::take(std::string_view bytes) {
  std::string line;
  while (!bytes.empty()) {
    switch (part_) {
      case Part::kHead: {
        const std::size_t before = line_.size();
        line_ += bytes;
        const auto end = line_.find("\r\n\r\n", before < 3 ? 0 : before - 3);
        if (end == std::string::npos) return line_.size() < kHeadMost;
        bytes.remove_prefix(end + 4 - before);
        const std::string head = std::exchange(line_, {}).substr(0, end + 2);
        if (!take_head(head)) return false;
        break;
      }
      case Part::kCounted:
        take_body(bytes);
        if (left_ == 0) finish();
        break;
      case Part::kChunkSize:
        if (!take_line(bytes, line)) break;
        if (!read_number(line, left_, 16)) return false;
        part_ = left_ == 0 ? Part::kLastLine : Part::kChunk;
        break;
      case Part::kChunk:
        take_body(bytes);
        if (left_ == 0) part_ = Part::kChunkEnd;
        break;
      case Part::kChunkEnd:
        if (take_line(bytes, line)) part_ = Part::kChunkSize;
        break;
      case Part::kLastLine:
        if (take_line(bytes, line)) finish();
        break;
    }
  }
  return true;
}

}  // namespace gpusched
