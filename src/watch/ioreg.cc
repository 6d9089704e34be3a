#include "watch/ioreg.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "watch/child.h"
#include "watch/host_memory.h"
#include "watch/ioreg_text.h"
#include "watch/kept.h"
#include "watch/run_program.h"

namespace gpusched::watch {
namespace {

using namespace std::chrono_literals;

class Ioreg final : public Backend {
 public:
  Ioreg(std::string program, const Host& host)
      : program_(std::move(program)), host_(host), memory_bytes_(apple_memory_bytes(host)) {}

  std::string name() const override { return "ioreg"; }

  Result<std::vector<CardIdentity>> cards(std::vector<std::string>& complaints) override {
    const auto gpus = all_gpus();
    if (!gpus) return failure(gpus.error());
    std::vector<CardIdentity> found;
    for (std::size_t i = 0; i < gpus->size(); ++i) {
      CardIdentity card;
      // The registry's own ids change with every boot; the place in its list does not.
      card.uuid = uuid_of(i);
      card.vendor = Vendor::kApple;
      card.model = (*gpus)[i].model.empty() ? "Apple GPU" : (*gpus)[i].model;
      card.vram_bytes = memory_bytes_;
      card.integrated = true;
      found.push_back(std::move(card));
    }
    if (!memory_bytes_) complaints.emplace_back("the size of this machine's memory is unknown");
    return found;
  }

  Result<CardSample> sample(const CardIdentity& card) override {
    const auto gpus = all_gpus();
    if (!gpus) return failure(gpus.error());
    for (std::size_t i = 0; i < gpus->size(); ++i) {
      if (uuid_of(i) != card.uuid) continue;
      CardSample sample = (*gpus)[i].sample;
      sample.vram_bytes = memory_bytes_;
      if (memory_bytes_ && sample.used_bytes) {
        sample.used_bytes = std::min(*sample.used_bytes, *memory_bytes_);
      }
      return sample;
    }
    return not_there(card);
  }

  Result<std::vector<ProcessSample>> processes(const CardIdentity& card) override {
    const auto gpus = all_gpus();
    if (!gpus) return failure(gpus.error());
    // User clients do not say whose they are; no Mac with an Apple chip has a second GPU.
    if (card.uuid != uuid_of(0) || gpus->empty()) return not_there(card);
    const auto found = clients_.value(host_.now, [this]() -> Result<std::vector<ProcessSample>> {
      const auto entries = entries_of("AGXDeviceUserClient");
      if (!entries) return failure(entries.error());
      return apple_processes(*entries);
    });
    return found;
  }

  Result<std::vector<CardEvent>> events(std::chrono::milliseconds) override {
    return std::vector<CardEvent>{};
  }

 private:
  static std::string uuid_of(std::size_t place) { return fmt::format("apple-{}", place); }

  static tl::unexpected<Error> not_there(const CardIdentity& card) {
    return failure(ErrorCode::kNotFound, fmt::format("ioreg does not list {}", card.uuid));
  }

  Result<std::vector<IoregEntry>> entries_of(const std::string& class_name) const {
    ProgramRun run;
    run.arguments = {program_, "-r", "-d", "1", "-w", "0", "-c", class_name};
    run.most_bytes = 4 * 1024 * 1024;
    const auto output = run_program(run, host_);
    if (!output) return failure(output.error());
    if (output->exit_code != 0) {
      return failure(ErrorCode::kUnavailable,
                     fmt::format("ioreg failed with {}: {}", output->exit_code, output->errors));
    }
    return parse_ioreg(output->output);
  }

  Result<std::vector<AppleGpu>> all_gpus() {
    return gpus_.value(host_.now, [this]() -> Result<std::vector<AppleGpu>> {
      const auto entries = entries_of("IOAccelerator");
      if (!entries) return failure(entries.error());
      return apple_gpus(*entries);
    });
  }

  const std::string program_;
  const Host host_;
  const std::optional<std::uint64_t> memory_bytes_;
  Kept<std::vector<AppleGpu>> gpus_;
  Kept<std::vector<ProcessSample>> clients_;
};

}  // namespace

Probed probe_ioreg(const Host& host) {
  const auto program = find_program("ioreg", host.program_path);
  if (!program) return {nullptr, true, "there is no program ioreg: this is not macOS"};
  auto backend = std::make_unique<Ioreg>(*program, host);
  std::vector<std::string> complaints;
  const auto cards = backend->cards(complaints);
  if (!cards) return {nullptr, false, cards.error().message};
  if (cards->empty()) return {nullptr, true, "ioreg shows no GPU of an Apple chip"};
  return {std::move(backend), false, fmt::format("{} by {}", cards->front().model, *program)};
}

}  // namespace gpusched::watch
