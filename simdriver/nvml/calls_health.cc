// Modes, errors of the memory, and accounts of processes that have ended.
#include <algorithm>
#include <vector>

#include "simdriver/card_model.h"
#include "simdriver/nvml/session.h"

namespace nvml = gpusched::simdriver::nvml;
using namespace gpusched::simdriver;
using nvml::Device;

namespace {

constexpr unsigned kAccountsPerCard = 4000;
constexpr unsigned kMigDevicesMost = 7;

int read_state(const char* function, Device device, unsigned* out, SharedU32 CardState::*field) {
  return nvml::on_card(function, device, out, [field](const nvml::CardCall& call, unsigned& value) {
    value = (call.state.*field).load();
    return nvml::kSuccess;
  });
}

int set_state(const char* function, Device device, SharedU32 CardState::*field, unsigned value) {
  return nvml::on_card(function, device, [&](const nvml::CardCall& call) -> int {
    if (const int code = nvml::need_root(); code != nvml::kSuccess) return code;
    (call.state.*field).store(value);
    return nvml::kSuccess;
  });
}

// Newest first, one per pid: numbers of processes are used again.
std::vector<const Account*> accounts_of(const nvml::CardCall& call) {
  const WorldData& data = call.world.data();
  std::vector<const Account*> found;
  const std::uint64_t newest = data.accounts_kept.load();
  const std::uint64_t oldest = newest > kAccountsMost ? newest - kAccountsMost : 0;
  for (std::uint64_t number = newest; number > oldest; --number) {
    const Account& account = data.accounts[number % kAccountsMost];
    if (account.number.load() != number || account.card != call.card) continue;
    const auto same = [&](const Account* each) { return each->pid == account.pid; };
    if (std::ranges::none_of(found, same)) found.push_back(&account);
    if (found.size() == kAccountsPerCard) break;
  }
  return found;
}

int accounts_usable(const nvml::CardCall& call) {
  if (call.state.mig.load() != 0) return nvml::kNotSupported;
  return nvml::kSuccess;
}

}  // namespace

extern "C" {

int nvmlDeviceGetPersistenceMode(Device device, unsigned* mode) {
  return read_state(__func__, device, mode, &CardState::persistence);
}
int nvmlDeviceSetPersistenceMode(Device device, unsigned mode) {
  if (mode > 1) return nvml::kInvalidArgument;
  return set_state(__func__, device, &CardState::persistence, mode);
}
int nvmlDeviceGetComputeMode(Device device, unsigned* mode) {
  return read_state(__func__, device, mode, &CardState::compute_mode);
}
int nvmlDeviceSetComputeMode(Device device, unsigned mode) {
  if (mode > 3) return nvml::kInvalidArgument;
  return set_state(__func__, device, &CardState::compute_mode, mode);
}

int nvmlDeviceGetMigMode(Device device, unsigned* current, unsigned* pending) {
  return nvml::on_card(__func__, device, current, [&](const nvml::CardCall& call, unsigned& out) {
    if (!call.has(kHasMig)) return nvml::kNotSupported;
    if (pending == nullptr) return nvml::kInvalidArgument;
    out = *pending = call.state.mig.load();
    return nvml::kSuccess;
  });
}
int nvmlDeviceIsMigDeviceHandle(Device device, unsigned* is_mig) {
  return nvml::on_card(__func__, device, is_mig, [](const nvml::CardCall&, unsigned& out) {
    out = 0;
    return nvml::kSuccess;
  });
}
int nvmlDeviceGetMaxMigDeviceCount(Device device, unsigned* count) {
  return nvml::on_card(__func__, device, count, [](const nvml::CardCall& call, unsigned& out) {
    out = call.has(kHasMig) ? kMigDevicesMost : 0;
    return nvml::kSuccess;
  });
}
// The mode can be on, instances are not simulated.
int nvmlDeviceGetMigDeviceHandleByIndex(Device device, unsigned, Device*) {
  return nvml::on_card(__func__, device, [](const nvml::CardCall&) { return nvml::kNotFound; });
}
int nvmlDeviceGetGpuInstanceId(Device device, unsigned*) {
  return nvml::on_card(__func__, device, [](const nvml::CardCall&) { return nvml::kNotSupported; });
}
int nvmlDeviceGetComputeInstanceId(Device device, unsigned*) {
  return nvml::on_card(__func__, device, [](const nvml::CardCall&) { return nvml::kNotSupported; });
}
int nvmlDeviceGetDeviceHandleFromMigDeviceHandle(Device device, Device*) {
  return nvml::on_card(__func__, device,
                       [](const nvml::CardCall&) { return nvml::kInvalidArgument; });
}

int nvmlDeviceGetEccMode(Device device, unsigned* current, unsigned* pending) {
  return nvml::on_card(__func__, device, current, [&](const nvml::CardCall& call, unsigned& out) {
    if (!call.has(kHasEcc)) return nvml::kNotSupported;
    if (pending == nullptr) return nvml::kInvalidArgument;
    out = *pending = 1;
    return nvml::kSuccess;
  });
}
int nvmlDeviceGetTotalEccErrors(Device device, unsigned type, unsigned counter,
                                unsigned long long* errors) {
  return nvml::on_card(__func__, device, errors, [&](const nvml::CardCall& call, auto& out) {
    if (!call.has(kHasEcc)) return nvml::kNotSupported;
    if (type > 1 || counter > 1) return nvml::kInvalidArgument;
    out = call.state.ecc[type][counter].load();
    return nvml::kSuccess;
  });
}
// All errors are shown as those of the card's own memory (location 2).
int nvmlDeviceGetMemoryErrorCounter(Device device, unsigned type, unsigned counter,
                                    unsigned location, unsigned long long* errors) {
  return nvml::on_card(__func__, device, errors, [&](const nvml::CardCall& call, auto& out) {
    if (!call.has(kHasEcc)) return nvml::kNotSupported;
    if (type > 1 || counter > 1 || location > 7) return nvml::kInvalidArgument;
    out = location == 2 ? call.state.ecc[type][counter].load() : 0;
    return nvml::kSuccess;
  });
}
int nvmlDeviceGetRemappedRows(Device device, unsigned* corrected, unsigned* uncorrected,
                              unsigned* pending, unsigned* failed) {
  return nvml::on_card(__func__, device, corrected, [&](const nvml::CardCall& call, unsigned& out) {
    if (!call.has(kHasRowRemapping)) return nvml::kNotSupported;
    if (uncorrected == nullptr || pending == nullptr || failed == nullptr) {
      return nvml::kInvalidArgument;
    }
    out = call.state.remapped_corrected.load();
    *uncorrected = call.state.remapped_uncorrected.load();
    *pending = call.state.rows_pending.load();
    *failed = call.state.rows_failed.load();
    return nvml::kSuccess;
  });
}

int nvmlDeviceGetAccountingMode(Device device, unsigned* mode) {
  return read_state(__func__, device, mode, &CardState::accounting);
}
int nvmlDeviceSetAccountingMode(Device device, unsigned mode) {
  if (mode > 1) return nvml::kInvalidArgument;
  return set_state(__func__, device, &CardState::accounting, mode);
}
int nvmlDeviceGetAccountingBufferSize(Device device, unsigned* size) {
  return nvml::on_card(__func__, device, size, [](const nvml::CardCall&, unsigned& out) {
    out = kAccountsPerCard;
    return nvml::kSuccess;
  });
}
int nvmlDeviceClearAccountingPids(Device device) {
  return nvml::on_card(__func__, device, [](const nvml::CardCall& call) -> int {
    if (const int code = nvml::need_root(); code != nvml::kSuccess) return code;
    for (Account& account : call.world.data().accounts) {
      if (account.card == call.card) account.number.store(0);
    }
    return nvml::kSuccess;
  });
}

// Those that have ended, and those that run.
int nvmlDeviceGetAccountingPids(Device device, unsigned* count, unsigned* pids) {
  return nvml::on_card(__func__, device, count, [&](const nvml::CardCall& call, unsigned& out) {
    if (const int code = accounts_usable(call); code != nvml::kSuccess) return code;
    std::vector<unsigned> found;
    if (call.state.accounting.load() != 0) {
      for (const ProcessUse& process : look_at_card(call.world, call.card).processes) {
        found.push_back(static_cast<unsigned>(process.pid));
      }
    }
    for (const Account* account : accounts_of(call)) {
      const auto pid = static_cast<unsigned>(account->pid);
      if (std::ranges::find(found, pid) == found.end()) found.push_back(pid);
    }
    const unsigned room = out;
    out = static_cast<unsigned>(found.size());
    if (room < found.size()) return static_cast<int>(nvml::kInsufficientSize);
    if (!found.empty() && pids == nullptr) return static_cast<int>(nvml::kInvalidArgument);
    std::ranges::copy(found, pids);
    return static_cast<int>(nvml::kSuccess);
  });
}

int nvmlDeviceGetAccountingStats(Device device, unsigned pid, nvml::AccountingStats* stats) {
  return nvml::on_card(__func__, device, stats, [&](const nvml::CardCall& call, auto& out) -> int {
    if (const int code = accounts_usable(call); code != nvml::kSuccess) return code;
    if (call.state.accounting.load() != 0) {
      for (const ProcessUse& process : look_at_card(call.world, call.card).processes) {
        if (process.pid != static_cast<int>(pid)) continue;
        out = {};
        out.gpu = process.busy_permille / 10;
        out.memory = memory_busy_of(out.gpu);
        out.peak_bytes = process.peak_bytes;
        out.started_us = process.started_us;
        out.running = 1;  // The time stays 0 until it has ended.
        return nvml::kSuccess;
      }
    }
    for (const Account* account : accounts_of(call)) {
      if (account->pid != static_cast<int>(pid)) continue;
      out = {};
      out.gpu = account->busy_percent;
      out.memory = memory_busy_of(out.gpu);
      out.peak_bytes = account->peak_bytes;
      out.time_ms = account->run_ms;
      out.started_us = account->started_us;
      return nvml::kSuccess;
    }
    return nvml::kNotFound;
  });
}

}  // extern "C"
