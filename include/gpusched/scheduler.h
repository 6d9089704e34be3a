// The scheduler library of gpusched: GPUs for the workers of a program of one's own.
//
//   gpusched::GpuScheduler scheduler({.application = "trainer"});
//   auto asked = scheduler.ScheduleGpuResources({{.name = "worker 1", .gpus = 1}});
//   if (!asked) return report(asked.error().message);
//   gpusched::Scheduling mine = std::move(asked.value()[0]);
//   if (!mine.granted()) {
//     auto granted = scheduler.Wait(mine.id(), std::chrono::hours(1));
//     if (!granted) return report(granted.error().message);
//     mine = std::move(granted.value());
//   }
//   run_on(mine.visible_devices());  // For CUDA_VISIBLE_DEVICES. The end of `mine` releases it.
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
  T& value() & { return std::get<0>(is_); }
  const T& value() const& { return std::get<0>(is_); }
  // By value: for (auto& one : scheduler.GetWaitingResources().value()) is then right, too.
  T value() && { return std::get<0>(std::move(is_)); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }
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
  std::chrono::milliseconds timeout{0};  // Of waiting; 0: as long as it takes. At most a year.
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
// GetCurrentSchedulings returned: that is a view, and destroying it changes nothing. Nor does
// destroying the copy that the child of a fork has.
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
  // Gives the cards back now, or withdraws a request that waits. A second time does nothing. In the
  // child of a fork it is kUnknown: what the parent has is the parent's.
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
  long process_ = 0;  // In which it was made.
};

struct WaitingGpu {
  RequestId id{};
  GpuRequest request;
  std::string reason;
  int position = 0;  // 1: next in order. 0: not known.
  // A guess where nobody knows how long others keep their cards. Empty: nobody can say.
  std::optional<std::chrono::system_clock::time_point> estimated_start;
};

// A card as the embedded scheduler is told of it.
struct CardReport {
  int number = 0;  // 0 to 65535, each once.
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
  // Embedded: how the cards are now, all of them: one that is missing is gone, a new one is used.
  // Asked at most once in `look_every`, by one thread at a time. While it throws nothing is
  // granted. Empty: they stay as they were.
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
  // What the one that goes still waits for is withdrawn, as by its end.
  GpuScheduler& operator=(GpuScheduler&& other) noexcept;

  // Grants at once what is safe now, critical requests first, in balanced round-robin over all
  // usable cards; the rest waits. One result per request, in order; at most 500 requests. An error:
  // nothing was granted and nothing waits.
  Outcome<std::vector<Scheduling>> ScheduleGpuResources(const std::vector<GpuRequest>& gpus);

  // Ends every scheduling and waiting request of this application, also those of a crashed
  // predecessor of the same application name; waiters wake with kReset. Idempotent; touches nobody
  // else. Call after a restart or before shutdown.
  Outcome<void> ResetScheduler();

  // Of this application, also those of other objects and processes with its name.
  Outcome<std::vector<Scheduling>> GetCurrentSchedulings() const;
  Outcome<std::vector<WaitingGpu>> GetWaitingResources() const;

  // Waits until the request is granted, at most this long (kNotYet).
  Outcome<Scheduling> Wait(RequestId request, std::chrono::milliseconds at_most);

 private:
  std::shared_ptr<detail::Desk> desk_;
};

}  // namespace v1
}  // namespace gpusched
