#include "tests/support/unreliable_disk.h"

#include <sqlite3.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <mutex>
#include <new>
#include <random>
#include <vector>

namespace gpusched::testing {
namespace {

constexpr std::size_t kSector = 512;

struct Operation {
  std::size_t offset = 0;
  std::string bytes;
  bool truncation = false;  // To `offset` bytes.
};

void apply(std::string& content, const Operation& operation) {
  if (operation.truncation) {
    content.resize(operation.offset);
    return;
  }
  content.resize(std::max(content.size(), operation.offset + operation.bytes.size()));
  content.replace(operation.offset, operation.bytes.size(), operation.bytes);
}

// A disk writes sectors, in any order; each of them arrives whole or not at all.
void apply_some_sectors(std::string& content, const Operation& operation, std::mt19937_64& random) {
  if (operation.truncation) {
    if (random() % 2 == 0) apply(content, operation);
    return;
  }
  for (std::size_t at = 0; at < operation.bytes.size();) {
    const std::size_t size =
        std::min(kSector - (operation.offset + at) % kSector, operation.bytes.size() - at);
    if (random() % 2 == 0) {
      apply(content, {operation.offset + at, operation.bytes.substr(at, size), false});
    }
    at += size;
  }
}

struct Tracked {
  std::string synced;
  std::vector<Operation> unsynced;
};

std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

}  // namespace

struct UnreliableDisk::Inside {
  sqlite3_vfs vfs{};
  sqlite3_vfs* system = nullptr;
  std::string name;
  mutable std::mutex mutex;
  std::map<std::string, Tracked> files;
  int operations_left = -1;  // Negative: no limit.
  int sync_failures_left = 0;
  int syncs = 0;

  // True if the power holds for one more operation.
  bool take_operation() {
    if (operations_left < 0) return true;
    if (operations_left == 0) return false;
    --operations_left;
    return true;
  }
};

namespace {

// SQLite allocates this, with the system's own file right behind it.
struct File {
  sqlite3_file base;
  UnreliableDisk::Inside* disk;
  Tracked* tracked;  // Null: a temporary file.

  sqlite3_file* system() { return reinterpret_cast<sqlite3_file*>(this + 1); }
};

File* file_of(sqlite3_file* file) { return reinterpret_cast<File*>(file); }
sqlite3_file* below(sqlite3_file* file) { return file_of(file)->system(); }
UnreliableDisk::Inside* disk_of(sqlite3_vfs* vfs) {
  return static_cast<UnreliableDisk::Inside*>(vfs->pAppData);
}

int close_file(sqlite3_file* file) { return below(file)->pMethods->xClose(below(file)); }

int read_file(sqlite3_file* file, void* to, int size, sqlite3_int64 offset) {
  return below(file)->pMethods->xRead(below(file), to, size, offset);
}

int write_file(sqlite3_file* file, const void* from, int size, sqlite3_int64 offset) {
  File* self = file_of(file);
  const std::lock_guard lock(self->disk->mutex);
  if (!self->disk->take_operation()) return SQLITE_IOERR_WRITE;
  if (self->tracked != nullptr) {
    self->tracked->unsynced.push_back(
        {static_cast<std::size_t>(offset),
         std::string(static_cast<const char*>(from), static_cast<std::size_t>(size)), false});
  }
  return below(file)->pMethods->xWrite(below(file), from, size, offset);
}

int truncate_file(sqlite3_file* file, sqlite3_int64 size) {
  File* self = file_of(file);
  const std::lock_guard lock(self->disk->mutex);
  if (!self->disk->take_operation()) return SQLITE_IOERR_TRUNCATE;
  if (self->tracked != nullptr) {
    self->tracked->unsynced.push_back({static_cast<std::size_t>(size), "", true});
  }
  return below(file)->pMethods->xTruncate(below(file), size);
}

int sync_file(sqlite3_file* file, int) {
  File* self = file_of(file);
  const std::lock_guard lock(self->disk->mutex);
  if (!self->disk->take_operation()) return SQLITE_IOERR_FSYNC;
  if (self->disk->sync_failures_left > 0) {
    --self->disk->sync_failures_left;
    return SQLITE_IOERR_FSYNC;
  }
  ++self->disk->syncs;
  if (self->tracked != nullptr) {
    for (const Operation& operation : self->tracked->unsynced) {
      apply(self->tracked->synced, operation);
    }
    self->tracked->unsynced.clear();
  }
  // The real disk need not be waited for: these files only stand for one.
  return SQLITE_OK;
}

int file_size(sqlite3_file* file, sqlite3_int64* size) {
  return below(file)->pMethods->xFileSize(below(file), size);
}
int lock_file(sqlite3_file* file, int level) {
  return below(file)->pMethods->xLock(below(file), level);
}
int unlock_file(sqlite3_file* file, int level) {
  return below(file)->pMethods->xUnlock(below(file), level);
}
int check_lock(sqlite3_file* file, int* result) {
  return below(file)->pMethods->xCheckReservedLock(below(file), result);
}
int control_file(sqlite3_file* file, int operation, void* argument) {
  return below(file)->pMethods->xFileControl(below(file), operation, argument);
}
int sector_size(sqlite3_file* file) { return below(file)->pMethods->xSectorSize(below(file)); }
int characteristics(sqlite3_file* file) {
  return below(file)->pMethods->xDeviceCharacteristics(below(file));
}
int map_shared(sqlite3_file* file, int page, int size, int extend, void volatile** to) {
  return below(file)->pMethods->xShmMap(below(file), page, size, extend, to);
}
int lock_shared(sqlite3_file* file, int offset, int count, int flags) {
  return below(file)->pMethods->xShmLock(below(file), offset, count, flags);
}
void barrier(sqlite3_file* file) { below(file)->pMethods->xShmBarrier(below(file)); }
int unmap_shared(sqlite3_file* file, int remove) {
  return below(file)->pMethods->xShmUnmap(below(file), remove);
}

const sqlite3_io_methods kMethods = {2,
                                     close_file,
                                     read_file,
                                     write_file,
                                     truncate_file,
                                     sync_file,
                                     file_size,
                                     lock_file,
                                     unlock_file,
                                     check_lock,
                                     control_file,
                                     sector_size,
                                     characteristics,
                                     map_shared,
                                     lock_shared,
                                     barrier,
                                     unmap_shared,
                                     nullptr,
                                     nullptr};

int open_file(sqlite3_vfs* vfs, sqlite3_filename name, sqlite3_file* file, int flags, int* out) {
  UnreliableDisk::Inside* disk = disk_of(vfs);
  File* self = new (file) File{};
  const std::string before = name != nullptr ? content_of(name) : "";
  const int code = disk->system->xOpen(disk->system, name, self->system(), flags, out);
  if (code != SQLITE_OK) return code;
  self->disk = disk;
  self->base.pMethods = &kMethods;
  if (name != nullptr) {
    const std::lock_guard lock(disk->mutex);
    self->tracked = &disk->files.try_emplace(name, Tracked{before, {}}).first->second;
  }
  return SQLITE_OK;
}

int delete_file(sqlite3_vfs* vfs, const char* name, int sync_directory) {
  UnreliableDisk::Inside* disk = disk_of(vfs);
  const std::lock_guard lock(disk->mutex);
  if (!disk->take_operation()) return SQLITE_IOERR_DELETE;
  // Emptied instead of forgotten: an open handle may still point at it.
  if (const auto found = disk->files.find(name); found != disk->files.end()) found->second = {};
  return disk->system->xDelete(disk->system, name, sync_directory);
}

}  // namespace

UnreliableDisk::UnreliableDisk() : inside_(std::make_unique<Inside>()) {
  static int made = 0;
  inside_->system = sqlite3_vfs_find(nullptr);
  inside_->name = "unreliable" + std::to_string(++made);
  inside_->vfs = *inside_->system;
  inside_->vfs.zName = inside_->name.c_str();
  inside_->vfs.pAppData = inside_.get();
  inside_->vfs.pNext = nullptr;
  inside_->vfs.szOsFile = static_cast<int>(sizeof(File)) + inside_->system->szOsFile;
  inside_->vfs.xOpen = open_file;
  inside_->vfs.xDelete = delete_file;
  sqlite3_vfs_register(&inside_->vfs, 0);
}

UnreliableDisk::~UnreliableDisk() { sqlite3_vfs_unregister(&inside_->vfs); }

const char* UnreliableDisk::name() const { return inside_->name.c_str(); }

void UnreliableDisk::cut_power_after(int operations) {
  const std::lock_guard lock(inside_->mutex);
  inside_->operations_left = operations;
}

bool UnreliableDisk::power_is_out() const {
  const std::lock_guard lock(inside_->mutex);
  return inside_->operations_left == 0;
}

void UnreliableDisk::fail_syncs(int count) {
  const std::lock_guard lock(inside_->mutex);
  inside_->sync_failures_left = count;
}

int UnreliableDisk::syncs() const {
  const std::lock_guard lock(inside_->mutex);
  return inside_->syncs;
}

void UnreliableDisk::power_cut(const std::string& from, const std::string& to,
                               std::uint64_t seed) const {
  const std::lock_guard lock(inside_->mutex);
  std::mt19937_64 random(seed);
  for (const auto& item : std::filesystem::directory_iterator(from)) {
    if (!item.is_regular_file()) continue;
    const std::string path = item.path().string();
    // Shared memory does not outlive the machine's power.
    if (path.ends_with("-shm")) continue;
    std::string content;
    if (const auto found = inside_->files.find(path); found != inside_->files.end()) {
      content = found->second.synced;
      for (const Operation& each : found->second.unsynced) {
        apply_some_sectors(content, each, random);
      }
    } else {
      content = content_of(path);
    }
    std::ofstream(to + "/" + item.path().filename().string(), std::ios::binary) << content;
  }
}

}  // namespace gpusched::testing
