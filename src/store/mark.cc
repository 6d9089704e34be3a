#include "store/mark.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "store/number_line.h"

namespace gpusched {
namespace {

// A disk writes a sector whole or not at all.
constexpr std::size_t kMarkSlot = 512;
constexpr std::string_view kMarkBegin = "gpusched-mark 1";

}  // namespace

std::string mark_to_text(const StoreMark& mark) {
  return number_line(kMarkBegin,
                     {mark.commits, mark.next_job, mark.next_submission, mark.next_trail});
}

std::optional<StoreMark> mark_from_text(std::string_view text) {
  const auto numbers = read_number_line(kMarkBegin, text);
  if (!numbers || numbers->size() != 4) return std::nullopt;
  return StoreMark{(*numbers)[0], (*numbers)[1], (*numbers)[2], (*numbers)[3]};
}

Result<MarkFile> MarkFile::open(const std::string& directory) {
  const std::string path = directory + "/" + kMarkName;
  MarkFile mark;
  mark.file_.reset(::open(path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!mark.file_) {
    return failure(ErrorCode::kIo, fmt::format("open {}: {}", path, std::strerror(errno)));
  }
  std::string content(2 * kMarkSlot, '\0');
  const ssize_t got = ::pread(mark.file_.get(), content.data(), content.size(), 0);
  if (got < 0) {
    return failure(ErrorCode::kIo, fmt::format("read {}: {}", path, std::strerror(errno)));
  }
  for (int slot = 0; slot < 2; ++slot) {
    const auto read = mark_from_text(
        std::string_view(content).substr(static_cast<std::size_t>(slot) * kMarkSlot, kMarkSlot));
    if (!read || (mark.found_ && read->commits < mark.found_->commits)) continue;
    mark.found_ = read;
    mark.slot_ = 1 - slot;
  }
  return mark;
}

void MarkFile::write(const StoreMark& mark) {
  std::string text = mark_to_text(mark);
  text.resize(kMarkSlot, '\0');
  const off_t at = slot_ * static_cast<off_t>(kMarkSlot);
  if (::pwrite(file_.get(), text.data(), text.size(), at) != static_cast<ssize_t>(kMarkSlot))
    return;
  slot_ = 1 - slot_;
  // On its way to the disk, but nobody waits for it; not every time, because a page that is on its
  // way cannot be changed on every disk.
  constexpr int kPushedEvery = 16;
  if (++writes_ % kPushedEvery == 0) {
    ::sync_file_range(file_.get(), at, kMarkSlot, SYNC_FILE_RANGE_WRITE);
  }
}

void MarkFile::sync() { (void)::fdatasync(file_.get()); }

}  // namespace gpusched
