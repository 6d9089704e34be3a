// The fields of what is seen of a card, each with its name in JSON: one list for writer and reader,
// so that neither can forget what the other knows.
#pragma once

#include <array>
#include <string_view>

#include "watch/report.h"

namespace gpusched {

// The words of an enumeration, in the order of its members.
template <class E>
struct WordsOf;
template <>
struct WordsOf<watch::Vendor> {
  static constexpr std::array<std::string_view, 4> words = {"nvidia", "amd", "intel", "apple"};
};
template <>
struct WordsOf<watch::ComputeMode> {
  static constexpr std::array<std::string_view, 3> words = {"default", "prohibited",
                                                            "exclusive_process"};
};
template <>
struct WordsOf<watch::Recovery> {
  static constexpr std::array<std::string_view, 5> words = {"none", "reset", "reboot",
                                                            "drain_peers", "drain_and_reset"};
};
template <>
struct WordsOf<watch::ProcessKind> {
  static constexpr std::array<std::string_view, 3> words = {"compute", "graphics", "mps"};
};
template <>
struct WordsOf<watch::CardEvent::Kind> {
  static constexpr std::array<std::string_view, 7> words = {
      "xid", "ecc_single", "ecc_double", "unavailable", "recovery", "clock", "other"};
};
template <>
struct WordsOf<watch::Container::Kind> {
  static constexpr std::array<std::string_view, 7> words = {
      "docker", "podman", "containerd", "crio", "lxc", "apptainer", "systemd"};
};
template <>
struct WordsOf<watch::Evidence> {
  static constexpr std::array<std::string_view, 3> words = {"cgroup", "tree", "environment"};
};
template <>
struct WordsOf<watch::Cause> {
  static constexpr std::array<std::string_view, 5> words = {"period", "asked", "exit", "event",
                                                            "return"};
};
template <class E>
constexpr std::string_view word_of(E value) {
  return WordsOf<E>::words[static_cast<std::size_t>(value)];
}

// Bit i of watch::Throttle.
constexpr std::array<std::string_view, 7> kThrottleWords = {
    "idle", "setting", "power", "hardware", "soft_thermal", "hard_thermal", "power_brake"};

// `visit(name, field)` for every field of a sample but `throttle`, which is a list of words.
template <class Sample, class Visit>
void each_sample_field(Sample& s, Visit visit) {
  visit("vram_bytes", s.vram_bytes);
  visit("reserved_bytes", s.reserved_bytes);
  visit("used_bytes", s.used_bytes);
  visit("busy_percent", s.busy_percent);
  visit("memory_busy_percent", s.memory_busy_percent);
  visit("sm_active_percent", s.sm_active_percent);
  visit("dram_active_percent", s.dram_active_percent);
  visit("power_watts", s.power_watts);
  visit("power_limit_watts", s.power_limit_watts);
  visit("energy_joules", s.energy_joules);
  visit("temperature_c", s.temperature_c);
  visit("memory_temperature_c", s.memory_temperature_c);
  visit("slowdown_temperature_c", s.slowdown_temperature_c);
  visit("fan_percent", s.fan_percent);
  visit("core_clock_mhz", s.core_clock_mhz);
  visit("memory_clock_mhz", s.memory_clock_mhz);
  visit("ecc_corrected", s.ecc_corrected);
  visit("ecc_uncorrected", s.ecc_uncorrected);
  visit("rows_pending", s.rows_pending);
  visit("rows_failed", s.rows_failed);
  visit("pcie_generation", s.pcie_generation);
  visit("pcie_width", s.pcie_width);
  visit("pcie_sent_mib_s", s.pcie_sent_mib_s);
  visit("pcie_received_mib_s", s.pcie_received_mib_s);
  visit("mig", s.mig);
  visit("persistence", s.persistence);
  visit("accounting", s.accounting);
  visit("compute_mode", s.compute_mode);
  visit("recovery", s.recovery);
}

template <class Identity, class Visit>
void each_identity_field(Identity& card, Visit visit) {
  visit("uuid", card.uuid);
  visit("pci", card.pci);
  visit("model", card.model);
  visit("vendor", card.vendor);
  visit("vram_bytes", card.vram_bytes);
  visit("reserved_bytes", card.reserved_bytes);
  visit("minor", card.minor);
  visit("integrated", card.integrated);
}

// The attempt is `job` and `attempt`, the container an object of its own: not in these lists.
template <class Process, class Visit>
void each_process_field(Process& p, Visit visit) {
  visit("pid", p.seen.pid);
  visit("kind", p.seen.kind);
  visit("vram_bytes", p.seen.vram_bytes);
  visit("busy_percent", p.seen.busy_percent);
  visit("memory_busy_percent", p.seen.memory_busy_percent);
  visit("name", p.seen.name);
  visit("uid", p.owner.uid);
  visit("user", p.owner.user);
  visit("command", p.owner.command);
  visit("started_at", p.owner.started_wall);
  visit("started_boot_us", p.owner.started);
  visit("evidence", p.owner.evidence);
}

template <class Account, class Visit>
void each_account_field(Account& account, Visit visit) {
  visit("pid", account.pid);
  visit("peak_vram_bytes", account.peak_vram_bytes);
  visit("busy_percent", account.busy_percent);
  visit("run_ms", account.run_ms);
}

}  // namespace gpusched
