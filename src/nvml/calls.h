// The functions of NVIDIA's management library, found at run time: no header and no link against
// it, so that one binary runs with any driver and without one. Null is a function that this driver
// does not have; those of the first group every supported driver has.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "nvml/abi.h"

namespace gpusched::nvml {

struct Calls {
  int (*init)() = nullptr;
  int (*shutdown)() = nullptr;
  const char* (*error_string)(int) = nullptr;
  int (*count)(u32*) = nullptr;
  int (*handle_by_index)(u32, Device*) = nullptr;
  int (*uuid)(Device, char*, u32) = nullptr;
  int (*name)(Device, char*, u32) = nullptr;
  int (*memory1)(Device, Memory1*) = nullptr;
  int (*pci)(Device, PciInfo*) = nullptr;

  int (*driver_version)(char*, u32) = nullptr;
  int (*minor)(Device, u32*) = nullptr;
  int (*memory2)(Device, Memory2*) = nullptr;  // Null before driver 510.
  int (*utilization)(Device, Utilization*) = nullptr;

  // By form, newest first (_v3, _v2, and the oldest with its entries of 16 bytes), and by kind:
  // compute, graphics, MPS.
  int (*list[3][3])(Device, u32*, void*) = {};
  int (*detail_list)(Device, ProcessDetailList*) = nullptr;
  int (*process_use)(Device, ProcessUse*, u32*, u64) = nullptr;
  int (*processes_use)(Device, ProcessesUse*) = nullptr;

  int (*power)(Device, u32*) = nullptr;
  int (*power_limit)(Device, u32*) = nullptr;
  int (*energy)(Device, u64*) = nullptr;
  int (*temperature)(Device, u32, u32*) = nullptr;
  int (*temperature_threshold)(Device, u32, u32*) = nullptr;
  int (*fan)(Device, u32*) = nullptr;
  int (*clock)(Device, u32, u32*) = nullptr;
  int (*clock_reasons)(Device, u64*) = nullptr;
  int (*older_clock_reasons)(Device, u64*) = nullptr;
  int (*fields)(Device, int, FieldValue*) = nullptr;
  int (*ecc)(Device, u32, u32, u64*) = nullptr;
  int (*remapped_rows)(Device, u32*, u32*, u32*, u32*) = nullptr;
  int (*pcie_generation)(Device, u32*) = nullptr;
  int (*pcie_width)(Device, u32*) = nullptr;
  int (*pcie_throughput)(Device, u32, u32*) = nullptr;
  int (*nvlink_state)(Device, u32, u32*) = nullptr;
  int (*nvlink_remote)(Device, u32, PciInfo*) = nullptr;
  int (*mig_mode)(Device, u32*, u32*) = nullptr;
  int (*compute_mode)(Device, u32*) = nullptr;
  int (*persistence)(Device, u32*) = nullptr;

  int (*accounting_mode)(Device, u32*) = nullptr;
  int (*accounting_pids)(Device, u32*, u32*) = nullptr;
  int (*accounting_stats)(Device, u32, AccountingStats*) = nullptr;

  int (*gpm_support)(Device, GpmSupport*) = nullptr;
  int (*gpm_alloc)(GpmSample*) = nullptr;
  int (*gpm_free)(GpmSample) = nullptr;
  int (*gpm_get)(Device, GpmSample) = nullptr;
  int (*gpm_metrics)(GpmMetrics*) = nullptr;

  int (*event_set)(EventSet*) = nullptr;
  int (*event_set_free)(EventSet) = nullptr;
  int (*supported_events)(Device, u64*) = nullptr;
  int (*register_events)(Device, u64, EventSet) = nullptr;
  int (*event_wait)(EventSet, EventData*, u32) = nullptr;

  // False if something that every supported driver has is missing.
  bool load(void* handle);
};

// The library, open and started; ends it when destroyed.
class Library {
 public:
  // kNotFound: no driver or no card, nothing is wrong with this machine. kUnavailable: a problem.
  static Result<std::shared_ptr<Library>> open();
  ~Library();
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  const Calls& calls() const { return calls_; }
  // What an answer means for the card (15: gone) or for the whole driver (18: kConflict).
  Error error_of(const std::string& doing, int code) const;

 private:
  Library(void* handle, const Calls& calls) : handle_(handle), calls_(calls) {}
  void* handle_;
  Calls calls_;
};

// True for answers after which nothing else about this card is worth asking.
bool is_trouble(int code);
// True for answers that will not change while this driver is loaded.
bool is_missing(int code);

}  // namespace gpusched::nvml
