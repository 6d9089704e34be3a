#include "jobdir/log_search.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>

#include "jobdir/log_file.h"

namespace gpusched {
namespace {

constexpr std::size_t kPieceBytes = 256U << 10;
// Of a line that is too long, shown before the match.
constexpr std::size_t kLeadBytes = kLogLineShown / 4;
static_assert(kLeadBytes + kLogTextMost + 4 <= kLogLineShown);

void make_lower(std::string& text, std::size_t from) {
  for (std::size_t i = from; i < text.size(); ++i) {
    const char c = text[i];
    text[i] = static_cast<char>(c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c);
  }
}

bool is_inside_character(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

// A part of a line does not begin or end inside of a character.
std::size_t cut_off_in_front(std::string_view text) {
  std::size_t cut = 0;
  while (cut < std::min<std::size_t>(3, text.size()) && is_inside_character(text[cut])) ++cut;
  return cut;
}
std::size_t cut_off_behind(std::string_view text) {
  for (std::size_t back = 1; back <= std::min<std::size_t>(4, text.size()); ++back) {
    const auto byte = static_cast<unsigned char>(text[text.size() - back]);
    if ((byte & 0xC0U) == 0x80U) continue;
    const std::size_t length = byte >= 0xF0U ? 4 : byte >= 0xE0U ? 3 : byte >= 0xC0U ? 2 : 1;
    return length > back ? back : 0;
  }
  return 0;
}

class Searching {
 public:
  Searching(int log, const LogSearch& asked) : log_(log), asked_(asked), wanted_(asked.text) {
    if (asked_.ignore_case) make_lower(wanted_, 0);
  }

  Result<LogFound> run() {
    struct stat about {};
    if (::fstat(log_, &about) != 0) {
      return failure(ErrorCode::kIo, std::string("read the log: ") + std::strerror(errno));
    }
    found_.size = static_cast<std::uint64_t>(about.st_size);
    if (auto begun = look_back(); !begun) return failure(begun.error());
    std::uint64_t read = 0;
    while (true) {
      if (found_.matches.size() >= asked_.matches_most || read >= asked_.bytes_most) {
        // It may have grown since; what came then is for whoever asks again.
        if (window_at_ < found_.size) found_.next = window_at_;
        return std::move(found_);
      }
      const auto piece = read_log(log_, window_at_ + window_.size(), kPieceBytes);
      if (!piece) return failure(piece.error());
      if (piece->bytes.empty()) return std::move(found_);
      read += piece->bytes.size();
      take(*piece);
      if (auto searched = search_window(); !searched) return failure(searched.error());
    }
  }

 private:
  // Where the line of the first byte begins.
  Result<void> look_back() {
    window_at_ = asked_.from;
    std::uint64_t at = asked_.from - std::min<std::uint64_t>(asked_.from, kLogLineBack);
    line_at_ = at;
    while (at < asked_.from) {
      const auto piece = read_log(log_, at, static_cast<std::size_t>(asked_.from - at));
      if (!piece) return failure(piece.error());
      if (piece->bytes.empty()) break;
      const std::uint64_t begin = piece->next_offset - piece->bytes.size();
      if (begin >= asked_.from) break;
      if (begin != at) line_at_ = begin;
      std::string_view bytes = piece->bytes;
      bytes = bytes.substr(0, static_cast<std::size_t>(asked_.from - begin));
      if (const std::size_t end = bytes.rfind('\n'); end != std::string_view::npos) {
        line_at_ = begin + end + 1;
      }
      at = piece->next_offset;
    }
    return {};
  }

  void take(const LogPiece& piece) {
    const std::uint64_t begin = piece.next_offset - piece.bytes.size();
    if (begin != window_at_ + window_.size()) {  // Behind a hole.
      window_.clear();
      window_at_ = line_at_ = begin;
    }
    const std::size_t known = window_.size();
    window_ += piece.bytes;
    if (asked_.ignore_case) make_lower(window_, known);
  }

  Result<void> search_window() {
    std::size_t from = 0;
    while (found_.matches.size() < asked_.matches_most) {
      // Two-way, so that no text and no log make it slow.
      const void* hit =
          ::memmem(window_.data() + from, window_.size() - from, wanted_.data(), wanted_.size());
      if (hit == nullptr) {
        const std::size_t kept = std::min(window_.size() - from, wanted_.size() - 1);
        drop(window_.size() - kept);
        return {};
      }
      const auto at = static_cast<std::size_t>(static_cast<const char*>(hit) - window_.data());
      const auto goes_on = add(at, from);
      if (!goes_on) return failure(goes_on.error());
      if (*goes_on >= window_at_ + window_.size()) {
        window_.clear();
        window_at_ = *goes_on;
        return {};
      }
      from = static_cast<std::size_t>(*goes_on - window_at_);
    }
    drop(from);
    return {};
  }

  // Of what is behind us only where its last line began is remembered.
  void drop(std::size_t count) {
    note_line(0, count);
    window_.erase(0, count);
    window_at_ += count;
  }
  void note_line(std::size_t from, std::size_t to) {
    const std::size_t end = std::string_view(window_).substr(from, to - from).rfind('\n');
    if (end == std::string_view::npos) return;
    line_at_ = std::max(line_at_, window_at_ + from + end + 1);
  }

  // Where to go on behind the match at `index` of the window.
  Result<std::uint64_t> add(std::size_t index, std::size_t from) {
    note_line(from, index);
    LogMatch match;
    match.at = window_at_ + index;
    match.line_at = std::max(line_at_, match.at - std::min<std::uint64_t>(match.at, kLogLineBack));
    auto rest = contiguous(match.at, kLogLineShown + 1);
    if (!rest) return failure(rest.error());
    const std::size_t end = rest->find('\n');
    const bool broken = end != std::string::npos;
    if (broken) rest->resize(end);
    const auto before = static_cast<std::size_t>(match.at - match.line_at);
    std::size_t lead = before;
    if (before + rest->size() > kLogLineShown) {
      const std::size_t room = kLogLineShown - std::min(kLogLineShown, rest->size());
      lead = std::min(before, std::max(kLeadBytes, room));
    }
    auto shown = contiguous(match.at - lead, lead);
    if (!shown) return failure(shown.error());
    shown->resize(lead);  // The file may have changed under us.
    const std::size_t cut = lead < before ? cut_off_in_front(*shown) : 0;
    match.shown_at = match.at - lead + cut;
    const bool whole_end = lead + rest->size() <= kLogLineShown;
    if (!whole_end) rest->resize(kLogLineShown - lead);
    match.shown = shown->substr(cut) + *rest;
    if (!whole_end) match.shown.resize(match.shown.size() - cut_off_behind(match.shown));
    std::uint64_t next = match.shown_at + match.shown.size();
    if (whole_end && broken) line_at_ = ++next;
    // Also where the file became shorter meanwhile.
    next = std::max(next, match.at + wanted_.size());
    found_.matches.push_back(std::move(match));
    return next;
  }

  // Up to `most` bytes from there; fewer before a hole or the end.
  Result<std::string> contiguous(std::uint64_t at, std::size_t most) const {
    std::string bytes;
    while (bytes.size() < most) {
      auto piece = read_log(log_, at + bytes.size(), most - bytes.size());
      if (!piece) return failure(piece.error());
      const bool follows = piece->next_offset == at + bytes.size() + piece->bytes.size();
      if (piece->bytes.empty() || !follows) break;
      bytes += piece->bytes;
    }
    return bytes;
  }

  int log_;
  const LogSearch& asked_;
  std::string wanted_;
  // What was read and not searched to its end, without a hole in it; of lower case where that does
  // not matter.
  std::string window_;
  std::uint64_t window_at_ = 0;
  std::uint64_t line_at_ = 0;  // Of the line in which the window begins, as far as it is known.
  LogFound found_;
};

}  // namespace

Result<LogFound> search_log(int log, const LogSearch& asked) { return Searching(log, asked).run(); }

}  // namespace gpusched
