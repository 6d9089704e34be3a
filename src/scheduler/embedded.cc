#include "scheduler/embedded.h"

#include <unistd.h>

#include <map>
#include <mutex>
#include <thread>
#include <utility>

#include "scheduler/card_finder.h"
#include "scheduler/machine.h"
#include "scheduler/machine_lock.h"

namespace gpusched::library {
namespace {

// The machines of this process, by their lock: the kernel's lock does not tell two objects of one
// process apart.
struct Machines {
  std::mutex mutex;
  struct Known {
    pid_t process = 0;  // A child has a copy of its parent's memory, but not its lock.
    std::weak_ptr<Machine> machine;
  };
  std::map<std::string, Known> by_lock;
};
Machines& machines() {
  static Machines* all = new Machines;  // Never destroyed: schedulings may outlive main().
  return *all;
}

Reply<std::shared_ptr<Machine>> open_machine(const EmbeddedOptions& options) {
  const std::string path = options.lock_path.empty() ? default_lock_path() : options.lock_path;
  Machines& all = machines();
  const std::lock_guard lock(all.mutex);
  Machines::Known& known = all.by_lock[path];
  if (known.process == ::getpid()) {
    if (auto machine = known.machine.lock()) return machine;
  }
  Reply<MachineLock> taken = MachineLock::take(path);
  if (!taken) return tl::unexpected<Fault>(taken.error());
  Machine::Options machine;
  machine.cards = options.cards;
  machine.look = options.look;
  machine.look_every = options.look_every;
  machine.cpus =
      options.cpus > 0 ? options.cpus : static_cast<int>(std::thread::hardware_concurrency());
  if (machine.cards.empty() && machine.look) machine.cards = machine.look();
  if (machine.cards.empty()) {
    Reply<FoundCards> found = find_cards();
    if (!found) return tl::unexpected<Fault>(found.error());
    machine.cards = std::move(found->cards);
    machine.look = std::move(found->look);
  }
  auto made = std::make_shared<Machine>(std::move(*taken), std::move(machine));
  known = {::getpid(), made};
  return made;
}

class EmbeddedBackend final : public Backend {
 public:
  EmbeddedBackend(std::shared_ptr<Machine> machine, std::string application)
      : machine_(std::move(machine)), application_(std::move(application)) {}

  Reply<std::vector<Standing>> ask(const std::vector<Wish>& wishes) override {
    if (Reply<void> own = check_process(); !own) return tl::unexpected<Fault>(own.error());
    return machine_->ask(application_, wishes);
  }
  Reply<Standing> wait(std::uint64_t id, std::chrono::milliseconds at_most) override {
    if (Reply<void> own = check_process(); !own) return tl::unexpected<Fault>(own.error());
    return machine_->wait(id, at_most);
  }
  // Nothing is moved aside without a daemon.
  Reply<Standing> resume(std::uint64_t id, std::chrono::milliseconds) override {
    return wait(id, std::chrono::milliseconds{0});
  }
  Reply<void> release(std::uint64_t id) override {
    // The parent's grants are the parent's to release.
    if (!check_process()) return {};
    machine_->release(id);
    return {};
  }
  Reply<void> reset() override {
    if (Reply<void> own = check_process(); !own) return own;
    machine_->reset(application_);
    return {};
  }
  Reply<std::vector<Standing>> live() override {
    if (Reply<void> own = check_process(); !own) return tl::unexpected<Fault>(own.error());
    return machine_->live(application_);
  }

 private:
  Reply<void> check_process() const {
    if (::getpid() == process_) return {};
    return fault(FaultKind::kUnavailable,
                 "this scheduler belongs to the parent process; make one after the fork");
  }

  const pid_t process_ = ::getpid();
  std::shared_ptr<Machine> machine_;
  std::string application_;
};

}  // namespace

Reply<std::unique_ptr<Backend>> open_embedded(const EmbeddedOptions& options) {
  Reply<std::shared_ptr<Machine>> machine = open_machine(options);
  if (!machine) return tl::unexpected<Fault>(machine.error());
  return std::make_unique<EmbeddedBackend>(std::move(*machine), options.application);
}

}  // namespace gpusched::library
