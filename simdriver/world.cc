#include "simdriver/world.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "simdriver/futex.h"
#include "simdriver/lock_bytes.h"

namespace gpusched::simdriver {
namespace {

Result<void> check_header(const std::string& path, const WorldData& data) {
  if (data.magic != kMagic) {
    return failure(ErrorCode::kInvalid, path + " is not a simulated world");
  }
  if (data.layout_version != kLayoutVersion || data.size != sizeof(WorldData)) {
    return failure(ErrorCode::kUnsupported,
                   path + " is a simulated world of version " +
                       std::to_string(data.layout_version) + ", this driver has version " +
                       std::to_string(kLayoutVersion) + ": remove the file and make it again");
  }
  return {};
}

}  // namespace

Result<World> World::open(const std::string& path) {
  const auto failed = [&path](const char* why) {
    return failure(ErrorCode::kIo, "open the simulated world " + path + ": " + why);
  };
  Fd fd(::open(path.c_str(), O_RDWR | O_CLOEXEC));
  if (!fd) return failed(std::strerror(errno));
  struct stat found {};
  if (::fstat(fd.get(), &found) != 0) return failed(std::strerror(errno));
  // The header alone first: a file of another version may be shorter.
  constexpr std::size_t kHeader = offsetof(WorldData, scenario);
  if (static_cast<std::size_t>(found.st_size) < kHeader) {
    return failure(ErrorCode::kInvalid, path + " is not a simulated world");
  }
  const std::size_t mapped =
      static_cast<std::size_t>(found.st_size) < sizeof(WorldData) ? kHeader : sizeof(WorldData);
  void* memory = ::mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_SHARED, fd.get(), 0);
  if (memory == MAP_FAILED) return failed(std::strerror(errno));
  auto* data = static_cast<WorldData*>(memory);
  auto checked = check_header(path, *data);
  if (checked && mapped < sizeof(WorldData)) {
    checked = failure(ErrorCode::kInvalid, path + " is a simulated world with its end cut off");
  }
  if (!checked) {
    const Error error = checked.error();
    ::munmap(memory, mapped);
    return failure(error);
  }
  return World(path, std::move(fd), data);
}

Result<World> World::open_from_environment() {
  const char* path = std::getenv(kWorldVariable);
  if (path == nullptr || *path == '\0') {
    return failure(ErrorCode::kNotFound,
                   std::string(kWorldVariable) + " does not name a simulated world");
  }
  return open(path);
}

World::World(World&& other) noexcept
    : path_(std::move(other.path_)),
      fd_(std::move(other.fd_)),
      data_(std::exchange(other.data_, nullptr)) {}

World& World::operator=(World&& other) noexcept {
  if (this != &other) {
    if (data_ != nullptr) ::munmap(data_, sizeof(WorldData));
    path_ = std::move(other.path_);
    fd_ = std::move(other.fd_);
    data_ = std::exchange(other.data_, nullptr);
  }
  return *this;
}

World::~World() {
  if (data_ != nullptr) ::munmap(data_, sizeof(WorldData));
}

Fd World::reopen() const {
  const std::string own = "/proc/self/fd/" + std::to_string(fd_.get());
  Fd fd(::open(own.c_str(), O_RDWR | O_CLOEXEC));
  return fd ? std::move(fd) : Fd(::open(path_.c_str(), O_RDWR | O_CLOEXEC));
}

ChangeLock::ChangeLock(const World& world)
    // A description of its own: locks on a shared one would not keep threads apart.
    : fd_(world.reopen()) {
  while (fd_ && !lock_byte(fd_.get(), kChangeByte, LockWait::kYes) && errno == EINTR) {
  }
}

ChangeLock::~ChangeLock() = default;

void announce_change(const World& world) {
  world.data().change_number.fetch_add(1);
  futex_wake(world.data().change_number);
}

void post_event(const World& world, std::size_t card, std::uint64_t type, std::uint64_t value) {
  WorldData& data = world.data();
  const std::uint64_t number = data.events_posted.load() + 1;
  Event& event = data.events[number % kEventsMost];
  event.number.store(0);
  event.card = static_cast<std::uint32_t>(card);
  event.type = type;
  event.value = value;
  event.number.store(number);
  data.events_posted.store(number);
  announce_change(world);
}

std::optional<std::size_t> find_card(const World& world, const std::string& uuid) {
  std::optional<std::size_t> found;
  for (std::size_t card = 0; card < world.card_count(); ++card) {
    const std::string whole = world.data().facts[card].uuid;
    if (whole.compare(0, uuid.size(), uuid) != 0 || uuid.size() <= 4) continue;
    if (whole == uuid) return card;
    if (found) return std::nullopt;
    found = card;
  }
  return found;
}

}  // namespace gpusched::simdriver
