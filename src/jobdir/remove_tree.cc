#include "jobdir/remove_tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <vector>

#include "os/fd.h"

namespace gpusched {
namespace {

struct Level {
  Fd directory;
  std::string name;  // In the level above.
};

// The names in a directory, read whole before anything is removed from it.
std::vector<std::string> names_in(int directory) {
  std::vector<std::string> names;
  const int copy = ::openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR* listing = copy < 0 ? nullptr : ::fdopendir(copy);
  if (listing == nullptr) {
    if (copy >= 0) ::close(copy);
    return names;
  }
  while (const dirent* entry = ::readdir(listing)) {
    if (std::strcmp(entry->d_name, ".") != 0 && std::strcmp(entry->d_name, "..") != 0) {
      names.emplace_back(entry->d_name);
    }
  }
  ::closedir(listing);
  return names;
}

Fd open_directory(int parent, const std::string& name) {
  constexpr int kFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
  Fd directory(::openat(parent, name.c_str(), kFlags));
  if (!directory && errno == EACCES) {
    // A job of the daemon's own user may have taken its own permissions away.
    if (::fchmodat(parent, name.c_str(), 0700, AT_SYMLINK_NOFOLLOW) != 0) return directory;
    directory.reset(::openat(parent, name.c_str(), kFlags));
  }
  return directory;
}

}  // namespace

// Depth first with one open directory per level, not by recursion: depth is the submitter's choice.
Result<void> remove_tree(int parent, const std::string& name) {
  constexpr std::size_t kDeepest = 200;
  const auto fail = [&](int error) {
    return failure(ErrorCode::kIo, "remove " + name + ": " + std::strerror(error));
  };
  if (::unlinkat(parent, name.c_str(), 0) == 0 || errno == ENOENT) return {};
  if (errno != EISDIR && errno != EPERM) return fail(errno);
  std::size_t moved = 0;
  std::vector<Level> levels;
  levels.push_back({open_directory(parent, name), name});
  if (!levels.back().directory) return errno == ENOENT ? Result<void>{} : Result<void>(fail(errno));
  while (!levels.empty()) {
    const int here = levels.back().directory.get();
    bool descended = false;
    for (const std::string& entry : names_in(here)) {
      if (::unlinkat(here, entry.c_str(), 0) == 0 || errno == ENOENT) continue;
      if (errno != EISDIR && errno != EPERM) return fail(errno);
      if (::unlinkat(here, entry.c_str(), AT_REMOVEDIR) == 0) continue;
      if (levels.size() >= kDeepest) {
        // Too deep to keep a descriptor per level: bring it up to the first one.
        const std::string shallow = "deep." + std::to_string(++moved);
        if (::renameat(here, entry.c_str(), levels.front().directory.get(), shallow.c_str()) == 0) {
          continue;
        }
        return fail(errno);
      }
      Fd below = open_directory(here, entry);
      if (!below) return fail(errno);
      levels.push_back({std::move(below), entry});
      descended = true;
      break;
    }
    if (descended) continue;
    const std::string done = levels.back().name;
    levels.pop_back();
    const int above = levels.empty() ? parent : levels.back().directory.get();
    if (::unlinkat(above, done.c_str(), AT_REMOVEDIR) != 0 && errno != ENOENT) return fail(errno);
  }
  return {};
}

}  // namespace gpusched
