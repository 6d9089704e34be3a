#include "jobdir/state_id.h"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>

#include "jobdir/job_directory.h"
#include "jobdir/record.h"
#include "os/fd.h"

namespace gpusched {
namespace {

struct KeptId {
  std::string id;
  std::string boot_id;
  std::int64_t device = 0;
  std::int64_t inode = 0;
};

bool is_id(const std::string& text) {
  return !text.empty() && text.size() <= 32 &&
         text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

std::optional<KeptId> read_kept(int directory) {
  const auto text = read_file(directory, kStateIdName);
  if (!text || !*text) return std::nullopt;
  const auto record = Record::parse(**text);
  if (!record) return std::nullopt;
  const std::string* id = record->find("id");
  const std::string* boot = record->find("boot_id");
  const auto device = record->number("device");
  const auto inode = record->number("inode");
  if (id == nullptr || !is_id(*id) || boot == nullptr || !device || !inode) return std::nullopt;
  return KeptId{*id, *boot, *device, *inode};
}

Result<void> write_kept(int directory, const KeptId& kept) {
  Record record;
  record.set("id", kept.id);
  record.set("boot_id", kept.boot_id);
  record.set("device", kept.device);
  record.set("inode", kept.inode);
  return replace_file(directory, kStateIdName, record.write(), 0644);
}

Result<std::string> new_id() {
  unsigned char bytes[6];
  if (::getrandom(bytes, sizeof bytes, 0) != static_cast<ssize_t>(sizeof bytes)) {
    return failure(ErrorCode::kIo, std::string("make an id: ") + std::strerror(errno));
  }
  constexpr char kHex[] = "0123456789abcdef";
  std::string id;
  for (const unsigned char byte : bytes) {
    id += kHex[byte >> 4];
    id += kHex[byte & 15];
  }
  return id;
}

}  // namespace

Result<StateId> take_state_id(const std::string& state_directory, const std::string& boot_id,
                              const std::string& earlier) {
  const Fd directory(::open(state_directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  struct stat about {};
  if (!directory || ::fstat(directory.get(), &about) != 0) {
    return failure(ErrorCode::kIo,
                   "open state directory " + state_directory + ": " + std::strerror(errno));
  }
  KeptId here{.id = {},
              .boot_id = boot_id,
              .device = static_cast<std::int64_t>(about.st_dev),
              .inode = static_cast<std::int64_t>(about.st_ino)};
  const auto kept = read_kept(directory.get());
  if (kept) {
    // Disks may get other numbers when the machine starts; a directory keeps its own.
    const bool same_boot = kept->boot_id == boot_id;
    const bool same = kept->inode == here.inode && (!same_boot || kept->device == here.device);
    if (same && same_boot) return StateId{kept->id, false};
    if (same) {
      here.id = kept->id;
      // Ignoring failure, a full disk among them: what is written there is still true.
      (void)write_kept(directory.get(), here);
      return StateId{kept->id, false};
    }
  }
  if (!kept && is_id(earlier)) {
    here.id = earlier;
  } else {
    auto made = new_id();
    if (!made) return failure(std::move(made.error()));
    here.id = std::move(*made);
  }
  if (auto written = write_kept(directory.get(), here); !written) {
    return failure(written.error().code, "write " + state_directory + "/" + kStateIdName + ": " +
                                             written.error().message);
  }
  return StateId{here.id, kept.has_value()};
}

std::optional<std::string> read_state_id(const std::string& state_directory) {
  const Fd directory(::open(state_directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const auto kept = directory ? read_kept(directory.get()) : std::nullopt;
  return kept ? std::optional(kept->id) : std::nullopt;
}

}  // namespace gpusched
