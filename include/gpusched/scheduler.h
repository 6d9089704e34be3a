// The scheduler library of gpusched: GPUs for the workers of a program of one's own.
//
//   gpusched::GpuScheduler scheduler({.application = "trainer"});
//   auto granted = scheduler.ScheduleGpuResources({{.name = "worker 1", .gpus = 1}});
//   if (!granted) return report(granted.error().message);
//   run_on(granted.value()[0].visible_devices());   // CUDA_VISIBLE_DEVICES
//
// The scheduler runs in this process, or asks the gpusched daemon of the machine where one runs:
// the calls are the same. Every call is safe from any thread. Errors are values with a sentence
// for people; after each of them the object works again. docs/library.md has the whole story.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace gpusched {
inline namespace v1 {

enum class ErrorKind : std::uint8_t {
  kInvalid,      // The request makes no sense.
  kNeverFits,    // No card of this machine can ever satisfy it.
  kNotYet,       // Wait() gave up; the request goes on waiting.
  kTimeout,      // The request's own timeout passed; it waits no more.
  kReset,        // ResetScheduler() ended it.
  kTaken,        // Somebody has this scheduling already.
  kUnknown,      // There is no such request, or it has ended.
  kCardLost,     // A card of it failed.
  kUnavailable,  // The daemon does not answer, or another program schedules this machine's cards.
  kInternal,     // A bug.
};

struct Error {
  ErrorKind kind = ErrorKind::kInternal;
  std::string message;
};

// A value, or an Error that says why there is none.
template <class T>
class [[nodiscard]] Outcome {
 public:
  Outcome(T value) : is_(std::in_place_index<0>, std::move(value)) {}
  Outcome(Error error) : is_(std::in_place_index<1>, std::move(error)) {}
  bool ok() const { return is_.index() == 0; }
  explicit operator bool() const { return ok(); }
  // REQUIRES: ok(); throws std::bad_variant_access otherwise.
  T& value() { return std::get<0>(is_); }
  const T& value() const { return std::get<0>(is_); }
  T& operator*() { return value(); }
  T* operator->() { return &value(); }
  // REQUIRES: !ok(); throws std::bad_variant_access otherwise.
  const Error& error() const { return std::get<1>(is_); }

 private:
  std::variant<T, Error> is_;
};
template <>
class [[nodiscard]] Outcome<void> {
 public:
  Outcome() = default;
  Outcome(Error error) : error_(std::move(error)) {}
  bool ok() const { return !error_; }
  explicit operator bool() const { return ok(); }
  // REQUIRES: !ok(); throws std::bad_optional_access otherwise.
  const Error& error() const { return error_.value(); }

 private:
  std::optional<Error> error_;
};

// May the work run on CPUs?
enum class CpuUse : std::uint8_t {
  kNever,
  kPrefer,    // CPU first: on a card only when no CPU is free.
  kFallback,  // Card first: on a CPU only when no card is free.
};

// One entry of the list of GPUs that require scheduling.
struct GpuRequest {
  std::string name = {};         // For messages and for GetCurrentSchedulings.
  int gpus = 1;                  // Cards; all of them or none.
  std::uint64_t vram_bytes = 0;  // Of each card. With share_percent 0 too: a whole card.
  int share_percent = 0;         // Of each card's compute. 0: by memory.
  bool critical = false;         // Before all that are not.
  CpuUse cpu = CpuUse::kNever;
  std::chrono::milliseconds timeout{0};  // Of waiting; 0: as long as it takes.
};

enum class RequestId : std::uint64_t {};

// A card, or what was granted of it.
struct GpuCard {
  int number = 0;  // In PCI order, as CUDA counts with CUDA_DEVICE_ORDER=PCI_BUS_ID.
  std::string uuid = {};
  std::uint64_t vram_bytes = 0;
  int share_percent = 100;
};

namespace detail {
class Desk;
}

// Cards that this application has. Destroying it releases them, but for one that
// GetCurrentSchedulings returned: that is a view, and destroying it changes nothing.
class Scheduling {
 public:
  Scheduling() = default;
  Scheduling(Scheduling&& other) noexcept;
  Scheduling& operator=(Scheduling&& other) noexcept;
  ~Scheduling();

  RequestId id() const { return id_; }
  const GpuRequest& request() const { return request_; }
  // False: it waits; Wait(id()) returns the granted one. A waiting one owns nothing.
  bool granted() const { return granted_; }
  // Granted without a card.
  bool on_cpu() const { return granted_ && cards_.empty(); }
  const std::vector<GpuCard>& cards() const { return cards_; }
  int cpus() const { return cpus_; }
  // For CUDA_VISIBLE_DEVICES, with CUDA_DEVICE_ORDER=PCI_BUS_ID: "0,2"; empty on CPUs.
  std::string visible_devices() const;

  // Is it still held? kCardLost after a card failed, kReset after a reset, kUnknown after its end.
  Outcome<void> Check() const;
  // A daemon may have moved this process aside for others while it did not use its cards (calls to
  // the card wait meanwhile). Asks for its return and waits until it is on its cards, at most this
  // long (kNotYet; it returns all the same). Returns at once where nothing was moved.
  Outcome<void> Resume(std::chrono::milliseconds at_most) const;
  // Gives the cards back now, or withdraws a request that waits. A second time does nothing.
  Outcome<void> Release();

 private:
  friend class detail::Desk;
  std::shared_ptr<detail::Desk> desk_;
  RequestId id_{};
  GpuRequest request_;
  bool granted_ = false;
  bool owns_ = false;
  std::vector<GpuCard> cards_;
  int cpus_ = 0;
  std::string devices_;
};

struct WaitingGpu {
  RequestId id{};
  GpuRequest request;
  std::string reason;
  int position = 0;  // 1: next in order. 0: not known.
  std::optional<std::chrono::system_clock::time_point> estimated_start;
};

// A card as the embedded scheduler is told of it.
struct CardReport {
  int number = 0;
  std::string uuid = {};
  std::string model = {};
  std::uint64_t vram_bytes = 0;
  std::uint64_t used_bytes = 0;  // By others than this scheduler's grants.
  bool usable = true;            // False: it failed; what was granted there is lost.
};

enum class Mode : std::uint8_t {
  kAuto,      // The daemon if one runs when the first call is made, else embedded.
  kEmbedded,  // In this process, with a lock that keeps other embedded schedulers out.
  kDaemon,
};

struct SchedulerOptions {
  std::string application = {};  // Empty: the program's name. ResetScheduler goes by it.
  Mode mode = Mode::kAuto;
  std::string socket = {};  // Of the daemon; empty: where the command line looks.
  // Embedded: the cards; empty: what NVIDIA's management library lists.
  std::vector<CardReport> cards = {};
  // Embedded: how the cards are now; asked at most once in `look_every`. Empty: as they were.
  std::function<std::vector<CardReport>()> look = {};
  std::chrono::milliseconds look_every{1000};
  int cpus = 0;                // Embedded: CPUs for requests that may run there; 0: all of them.
  std::string lock_path = {};  // Embedded: of the machine lock; empty: one for the machine.
};

class GpuScheduler {
 public:
  // Does nothing yet: what goes wrong is the answer of the first call, and of the next ones until
  // it is cured.
  explicit GpuScheduler(SchedulerOptions options = {});
  // Withdraws what still waits; schedulings that were handed out live on.
  ~GpuScheduler();
  GpuScheduler(GpuScheduler&&) noexcept = default;
  GpuScheduler& operator=(GpuScheduler&&) noexcept = default;

  // Grants at once what is safe now, in balanced round-robin over all usable cards; the rest
  // waits. One result per request, in order. An error: nothing was granted and nothing waits.
  Outcome<std::vector<Scheduling>> ScheduleGpuResources(const std::vector<GpuRequest>& gpus);

  // Ends every scheduling and waiting request of this application, also those of a crashed
  // predecessor of the same application name; waiters wake with kReset. Idempotent; touches nobody
  // else. Call after a restart or before shutdown.
  Outcome<void> ResetScheduler();

  // Of this application, also those of other objects and processes with its name.
  std::vector<Scheduling> GetCurrentSchedulings() const;
  std::vector<WaitingGpu> GetWaitingResources() const;

  // Waits until the request is granted, at most this long (kNotYet).
  Outcome<Scheduling> Wait(RequestId request, std::chrono::milliseconds at_most);

 private:
  std::shared_ptr<detail::Desk> desk_;
};

}  // namespace v1
}  // namespace gpusched
