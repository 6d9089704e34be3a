// The world: one file, mapped by everybody who uses the simulated driver. Opening checks that it
// is such a file and of this version. Kept free of anything that the two libraries should not
// carry into other people's programs; making a world is world_create.h.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include "base/result.h"
#include "os/fd.h"
#include "simdriver/world_layout.h"

namespace gpusched::simdriver {

inline constexpr const char* kWorldVariable = "GPUSCHED_SIM_WORLD";

class World {
 public:
  // Fails with one sentence for the person who chose the file.
  static Result<World> open(const std::string& path);
  // The one that the environment names.
  static Result<World> open_from_environment();

  World(World&& other) noexcept;
  World& operator=(World&& other) noexcept;
  ~World();

  WorldData& data() const { return *data_; }
  const std::string& path() const { return path_; }
  std::size_t card_count() const { return data_->card_count; }
  // For locks that are only looked at, or held for a moment. Never for one that must last: it is
  // shared with children.
  int fd() const { return fd_.get(); }
  // Another description of the very file that is mapped, also if its name is somebody else's now.
  Fd reopen() const;

 private:
  World(std::string path, Fd fd, WorldData* data)
      : path_(std::move(path)), fd_(std::move(fd)), data_(data) {}

  std::string path_;
  Fd fd_;
  WorldData* data_ = nullptr;
};

// Held while a tool or the daemon changes the world; jobs never take it, so it is never frozen.
class ChangeLock {
 public:
  explicit ChangeLock(const World& world);
  ~ChangeLock();
  ChangeLock(const ChangeLock&) = delete;
  ChangeLock& operator=(const ChangeLock&) = delete;

 private:
  Fd fd_;
};

// Tells all who wait for a change that there was one.
void announce_change(const World& world);

// REQUIRES: a ChangeLock. `type` is NVML's bit of the event.
void post_event(const World& world, std::size_t card, std::uint64_t type, std::uint64_t value);

// The card that has this UUID, whole or as an unambiguous beginning.
std::optional<std::size_t> find_card(const World& world, const std::string& uuid);

}  // namespace gpusched::simdriver
