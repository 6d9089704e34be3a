#include "scheduler/embedded.h"

#include <map>
#include <mutex>
#include <thread>
#include <utility>

#include "scheduler/card_finder.h"
#include "scheduler/card_roster.h"
#include "scheduler/machine.h"
#include "scheduler/machine_lock.h"
#include "scheduler/per_process.h"

namespace gpusched::library {
namespace {

// The machines of this process, by their lock: the kernel's lock does not tell two objects of one
// process apart.
struct Machines {
  std::mutex mutex;
  std::map<std::string, std::weak_ptr<Machine>> by_lock;
  void abandon() const {}
};
Machines& machines() {
  // Never destroyed: schedulings may outlive main(). A child has its parent's memory, but not its
  // lock.
  static auto* all = new PerProcess<Machines>;
  return all->get();
}

Reply<Machine::Options> machine_of(const EmbeddedOptions& options) {
  Machine::Options machine;
  machine.look_every = options.look_every;
  machine.cpus =
      options.cpus > 0 ? options.cpus : static_cast<int>(std::thread::hardware_concurrency());
  std::vector<CardFact> cards = options.cards;
  std::function<std::vector<CardFact>()> look = options.look;
  if (cards.empty() && !look) {
    Reply<FoundCards> found = find_cards();
    if (!found) return tl::unexpected<Fault>(found.error());
    cards = std::move(found->cards);
    look = std::move(found->look);
  }
  if (look) machine.look = [look] { return look_safely(look); };
  auto checked = cards.empty() ? machine.look() : checked_cards(std::move(cards));
  if (!checked) return tl::unexpected<Fault>(checked.error());
  machine.cards = std::move(*checked);
  return machine;
}

Reply<std::shared_ptr<Machine>> open_machine(const EmbeddedOptions& options) {
  const std::string path = options.lock_path.empty() ? default_lock_path() : options.lock_path;
  Machines& all = machines();
  const std::lock_guard lock(all.mutex);
  std::weak_ptr<Machine>& known = all.by_lock[path];
  if (auto machine = known.lock()) return machine;
  Reply<MachineLock> taken = MachineLock::take(path);
  if (!taken) return tl::unexpected<Fault>(taken.error());
  Reply<Machine::Options> machine = machine_of(options);
  if (!machine) return tl::unexpected<Fault>(machine.error());
  auto made = std::make_shared<Machine>(std::move(*taken), std::move(*machine));
  known = made;
  return made;
}

class EmbeddedBackend final : public Backend {
 public:
  EmbeddedBackend(std::shared_ptr<Machine> machine, std::string application)
      : machine_(std::move(machine)), application_(std::move(application)) {}

  Reply<std::vector<Standing>> ask(const std::vector<Wish>& wishes) override {
    return machine_->ask(application_, wishes);
  }
  Reply<Standing> wait(std::uint64_t id, std::chrono::milliseconds at_most) override {
    return machine_->wait(id, at_most);
  }
  // Nothing is moved aside without a daemon.
  Reply<Standing> resume(std::uint64_t id, std::chrono::milliseconds) override {
    return wait(id, std::chrono::milliseconds{0});
  }
  Reply<void> release(std::uint64_t id) override {
    machine_->release(id);
    return {};
  }
  Reply<void> reset() override {
    machine_->reset(application_);
    return {};
  }
  Reply<std::vector<Standing>> live() override { return machine_->live(application_); }

 private:
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
