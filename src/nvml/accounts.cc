#include "nvml/accounts.h"

#include <algorithm>

namespace gpusched::nvml {
namespace {

// The driver's ring has 4,000 entries.
constexpr u32 kAccountsMost = 4096;

}  // namespace

std::vector<watch::ProcessAccount> Accounts::ended(Asking& asking) {
  const Calls& calls = library_->calls();
  u32 on = 0;
  if (!asking.ask(Question::kAccounting, calls.accounting_mode, &on) || on == 0) return {};
  if (calls.accounting_pids == nullptr || calls.accounting_stats == nullptr) return {};
  std::vector<u32> pids(kAccountsMost);
  u32 count = kAccountsMost;
  if (calls.accounting_pids(asking.device(), &count, pids.data()) != kSuccess) return {};
  pids.resize(std::min(count, kAccountsMost));

  std::vector<watch::ProcessAccount> accounts;
  std::set<u32> told;
  for (const u32 pid : pids) {
    AccountingStats stats{};
    if (told_.contains(pid)) {
      told.insert(pid);
      continue;
    }
    if (calls.accounting_stats(asking.device(), pid, &stats) != kSuccess || stats.running != 0) {
      continue;
    }
    told.insert(pid);
    if (!primed_) continue;
    watch::ProcessAccount account;
    account.pid = static_cast<int>(pid);
    if (stats.most_memory != kNoFigure) account.peak_vram_bytes = stats.most_memory;
    if (stats.gpu_percent <= 100) account.busy_percent = stats.gpu_percent;
    account.run_ms = static_cast<std::int64_t>(stats.run_ms);
    accounts.push_back(account);
  }
  told_ = std::move(told);
  primed_ = true;
  return accounts;
}

void Accounts::note_running(const std::vector<watch::ProcessSample>& processes) {
  for (const watch::ProcessSample& process : processes) told_.erase(static_cast<u32>(process.pid));
}

}  // namespace gpusched::nvml
