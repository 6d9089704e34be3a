#include "watch/tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>

#include "base/text.h"
#include "os/fd.h"
#include "watch/numbers.h"

namespace gpusched::watch {

std::string Tree::at(std::string_view path) const {
  std::string whole = root_;
  if (whole.empty() || whole.back() != '/') whole += '/';
  return whole.append(path);
}

std::optional<std::string> Tree::text(std::string_view path, std::size_t limit) const {
  // Not blocking: nothing that stands where a file should be may hold us up.
  const Fd file(::open(at(path).c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file) return std::nullopt;
  std::string read;
  std::array<char, 4096> buffer{};
  while (read.size() < limit) {
    const ssize_t size =
        ::read(file.get(), buffer.data(), std::min(buffer.size(), limit - read.size()));
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return std::nullopt;
    if (size == 0) break;
    read.append(buffer.data(), static_cast<std::size_t>(size));
  }
  return read;
}

std::optional<std::string> Tree::word(std::string_view path) const {
  const auto read = text(path, 4096);
  if (!read) return std::nullopt;
  const std::string_view found = trimmed(*read);
  if (found.empty()) return std::nullopt;
  return std::string(found);
}

std::optional<std::uint64_t> Tree::number(std::string_view path) const {
  const auto read = text(path, 256);
  return read ? whole_number(*read) : std::nullopt;
}

std::vector<std::string> Tree::names(std::string_view path) const {
  struct Close {
    void operator()(DIR* directory) const { ::closedir(directory); }
  };
  const std::unique_ptr<DIR, Close> directory(::opendir(at(path).c_str()));
  std::vector<std::string> found;
  if (directory == nullptr) return found;
  while (const dirent* entry = ::readdir(directory.get())) {
    if (entry->d_name[0] != '.') found.emplace_back(entry->d_name);
  }
  std::ranges::sort(found);
  return found;
}

std::optional<std::string> Tree::link_target(std::string_view path) const {
  std::array<char, 1024> buffer{};
  const ssize_t size = ::readlink(at(path).c_str(), buffer.data(), buffer.size());
  if (size <= 0) return std::nullopt;
  return std::string(buffer.data(), static_cast<std::size_t>(size));
}

bool Tree::exists(std::string_view path) const { return ::access(at(path).c_str(), F_OK) == 0; }

}  // namespace gpusched::watch
