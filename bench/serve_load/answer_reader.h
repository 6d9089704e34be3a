// Takes the answers of an HTTP server apart as far as a load generator needs it: where each ends,
// its status, how much came, and a short body whole.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace gpusched {

struct ReadAnswer {
  int status = 0;
  std::size_t bytes = 0;  // Of the body.
  std::string beginning;  // Of the body.
};

class AnswerReader {
 public:
  std::function<void(const ReadAnswer&)> on_answer;  // One is complete.
  std::function<void(std::string_view)> on_piece;    // A part of a body, as it comes.

  // False: this is no HTTP.
  bool take(std::string_view bytes);

 private:
  enum class Part : unsigned char { kHead, kCounted, kChunkSize, kChunk, kChunkEnd, kLastLine };
  bool take_head(const std::string& head);
  bool take_line(std::string_view& bytes, std::string& line);
  void take_body(std::string_view& bytes);
  void finish();

  Part part_ = Part::kHead;
  std::string line_;      // What came of the head, or of the line of a chunk.
  std::size_t left_ = 0;  // Of this part.
  ReadAnswer answer_;
};

}  // namespace gpusched
