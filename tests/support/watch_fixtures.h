// The machines that the backends are tested on: two cards of each maker, one Mac.
#pragma once

#include <string>

#include "tests/support/watch_machine.h"

namespace gpusched::testing {

// A stand-in for nvidia-smi: columns are the files of cards/NAME/, those listed in `unknown` do
// not exist in its version. Each run leaves a line in `runs`.
inline void put_nvidia_smi(const WatchMachine& machine) {
  machine.program("nvidia-smi", R"sh(
echo "$*" >> $here/runs
case "$1" in
--query-gpu=*)
  columns=$(echo "${1#--query-gpu=}" | tr ',' ' ')
  for column in $columns; do
    if [ -f $here/unknown ] && grep -qx "$column" $here/unknown; then
      printf 'Field "%s" is not a valid field to query.\n\n' "$column"
      exit 2
    fi
  done
  for card in $here/cards/*; do
    line=
    for column in $columns; do
      value='[N/A]'
      if [ -f "$card/$column" ]; then IFS= read -r value < "$card/$column"; fi
      line="$line${line:+, }$value"
    done
    echo "$line"
  done ;;
--query-compute-apps=*) cat $here/processes ;;
esac)sh");
  const auto card = [&](const std::string& name, const std::string& uuid, const std::string& pci) {
    const std::string place = "cards/" + name + "/";
    machine.note(place + "uuid", uuid + "\n");
    machine.note(place + "pci.bus_id", pci + "\n");
    machine.note(place + "name", "NVIDIA GeForce RTX 4090\n");
    machine.note(place + "driver_version", "550.54.14\n");
    machine.note(place + "memory.total", "24564\n");
    machine.note(place + "memory.used", "20512\n");
    machine.note(place + "memory.reserved", "476\n");
    machine.note(place + "utilization.gpu", "97\n");
    machine.note(place + "temperature.gpu", "61\n");
    machine.note(place + "power.draw", "310.55\n");
    machine.note(place + "power.limit", "450.00\n");
    machine.note(place + "fan.speed", "44\n");
    machine.note(place + "compute_mode", "Default\n");
    machine.note(place + "persistence_mode", "Enabled\n");
    machine.note(place + "clocks_event_reasons.active", "0x0000000000000004\n");
    machine.note(place + "clocks_throttle_reasons.active", "0x0000000000000004\n");
    machine.note(place + "ecc.errors.corrected.volatile.total", "[N/A]\n");
  };
  card("a", "GPU-bbbbbbbb-0000-0000-0000-000000000001", "00000000:81:00.0");
  card("b", "GPU-aaaaaaaa-0000-0000-0000-000000000000", "00000000:3B:00.0");
  machine.note("processes",
               "GPU-aaaaaaaa-0000-0000-0000-000000000000, 00000000:3B:00.0, 4711, 20100\n"
               "GPU-aaaaaaaa-0000-0000-0000-000000000000, 00000000:3B:00.0, 4712, [N/A]\n"
               "GPU-bbbbbbbb-0000-0000-0000-000000000001, 00000000:81:00.0, 99, 300\n");
  machine.file("proc/4711/comm", "python\n");
}

inline void put_drm_card(const WatchMachine& machine, int minor, const std::string& driver,
                         const std::string& pci, const std::string& pci_id) {
  const std::string place = "sys/class/drm/card" + std::to_string(minor) + "/device/";
  machine.file(place + "uevent",
               "DRIVER=" + driver + "\nPCI_ID=" + pci_id + "\nPCI_SLOT_NAME=" + pci + "\n");
  machine.file(place + "current_link_speed", "16.0 GT/s PCIe\n");
  machine.file(place + "current_link_width", "16\n");
  machine.file("sys/bus/pci/devices/" + pci + "/power/runtime_status", "active\n");
}

// A process that has a card open under this descriptor.
inline void put_client(const WatchMachine& machine, int pid, int fd, const std::string& fdinfo) {
  const std::string place = "proc/" + std::to_string(pid) + "/";
  machine.remove(place + "fd/" + std::to_string(fd));
  machine.link(place + "fd/" + std::to_string(fd), "/dev/dri/renderD128");
  machine.file(place + "fdinfo/" + std::to_string(fd), fdinfo);
  machine.file(place + "comm", "worker\n");
}

inline std::string amd_client(const std::string& pci, int id, long vram_kib, long compute_ns) {
  return "pos:\t0\nflags:\t02100002\ndrm-driver:\tamdgpu\ndrm-pdev:\t" + pci +
         "\ndrm-client-id:\t" + std::to_string(id) + "\ndrm-memory-vram:\t" +
         std::to_string(vram_kib) + " KiB\ndrm-memory-gtt:\t2048 KiB\ndrm-engine-gfx:\t0 ns\n" +
         "drm-engine-compute:\t" + std::to_string(compute_ns) + " ns\n";
}

// Two cards: the first in PCI order has all files, the second almost none.
inline void put_amd(const WatchMachine& machine) {
  put_drm_card(machine, 1, "amdgpu", "0000:03:00.0", "1002:744C");
  put_drm_card(machine, 0, "amdgpu", "0000:43:00.0", "1002:740F");
  machine.file("sys/class/drm/card1-DP-1/status", "connected\n");
  const std::string device = "sys/class/drm/card1/device/";
  machine.file(device + "unique_id", "5c88fa39ab41d7c2\n");
  machine.file(device + "mem_info_vram_total", "25753026560\n");
  machine.file(device + "mem_info_vram_used", "9663676416\n");
  machine.file(device + "gpu_busy_percent", "73\n");
  machine.file(device + "mem_busy_percent", "21\n");
  machine.file(device + "ras/umc_err_count", "ue: 0\nce: 3\n");
  const std::string hwmon = device + "hwmon/hwmon4/";
  machine.file(hwmon + "power1_average", "212000000\n");
  machine.file(hwmon + "power1_cap", "339000000\n");
  machine.file(hwmon + "temp1_label", "edge\n");
  machine.file(hwmon + "temp1_input", "58000\n");
  machine.file(hwmon + "temp1_crit", "100000\n");
  machine.file(hwmon + "temp2_label", "junction\n");
  machine.file(hwmon + "temp2_input", "71000\n");
  machine.file(hwmon + "temp3_label", "mem\n");
  machine.file(hwmon + "temp3_input", "66000\n");
  machine.file(hwmon + "pwm1", "128\n");
  machine.file(hwmon + "freq1_label", "sclk\n");
  machine.file(hwmon + "freq1_input", "2482000000\n");
  machine.file("usr/share/misc/pci.ids",
               "# Names\n1002  Advanced Micro Devices, Inc. [AMD/ATI]\n"
               "\t744c  Navi 31 [Radeon RX 7900 XT/7900 XTX]\n\t\t1002 0e3b  RX 7900 GRE\n"
               "8086  Intel Corporation\n\t56a0  DG2 [Arc A770]\n");
  const std::string node = "sys/class/kfd/kfd/topology/nodes/1/";
  machine.file(node + "gpu_id", "51234\n");
  machine.file(node + "properties",
               "cpu_cores_count 0\nsimd_count 192\nsimd_per_cu 2\nlocation_id 768\ndomain 0\n");
  machine.file("sys/class/kfd/kfd/topology/nodes/0/gpu_id", "0\n");
  machine.file("sys/class/kfd/kfd/topology/nodes/0/properties", "cpu_cores_count 16\n");
  machine.file("sys/class/kfd/kfd/proc/4711/vram_51234", "8589934592\n");
  machine.file("sys/class/kfd/kfd/proc/4711/stats_51234/cu_occupancy", "48\n");
  machine.file("proc/4711/comm", "python\n");
  put_client(machine, 800, 12, amd_client("0000:03:00.0", 7, 2068, 1'000'000'000));
  put_client(machine, 800, 13, amd_client("0000:03:00.0", 7, 2068, 1'000'000'000));
}

// An integrated i915, an xe card.
inline void put_intel(const WatchMachine& machine) {
  put_drm_card(machine, 0, "i915", "0000:00:02.0", "8086:A780");
  put_drm_card(machine, 1, "xe", "0000:04:00.0", "8086:56A0");
  machine.file("sys/class/drm/card0/gt_act_freq_mhz", "1300\n");
  machine.file("sys/class/drm/card0/gt/gt0/rc6_residency_ms", "5000\n");
  const std::string xe = "sys/class/drm/card1/device/";
  machine.file(xe + "tile0/physical_vram_size_bytes", "17079205888\n");
  machine.file(xe + "tile0/gt0/freq0/act_freq", "2400\n");
  machine.file(xe + "tile0/gt0/gtidle/idle_residency_ms", "1000\n");
  machine.file(xe + "hwmon/hwmon2/energy1_input", "500000000\n");
  machine.file(xe + "hwmon/hwmon2/power1_max", "225000000\n");
  machine.file(xe + "hwmon/hwmon2/temp2_label", "pkg\n");
  machine.file(xe + "hwmon/hwmon2/temp2_input", "54000\n");
}

inline std::string xe_client(long cycles, long total) {
  return "drm-driver:\txe\ndrm-client-id:\t31\ndrm-pdev:\t0000:04:00.0\n"
         "drm-total-vram0:\t65536 KiB\ndrm-resident-vram0:\t32768 KiB\n"
         "drm-cycles-ccs:\t" +
         std::to_string(cycles) + "\ndrm-total-cycles-ccs:\t" + std::to_string(total) + "\n";
}

inline const char* kIoregAccelerator =
    R"(+-o AGXAcceleratorG13X  <class AGXAcceleratorG13X, id 0x100000001, registered, active>
    {
      "IOClass" = "AGXAcceleratorG13X"
      "model" = "Apple M1 Pro"
      "gpu-core-count" = 16
      "vendor-id" = <6b100000>
      "AGCInfo" = {"fLastSubmissionPID"=390,"fBusyCount"=0}
      "PerformanceStatistics" = {)"
    R"("Tiler Utilization %"=3,"Alloc system memory"=1214005248,)"
    R"("x Device Utilization %"=99,"Device Utilization %"=42,"In use system memory"=340983808}
    }

)";
inline const char* kIoregClients =
    R"(+-o AGXDeviceUserClient  <class AGXDeviceUserClient, id 0x100000a01, !registered, active>
    {
      "IOUserClientCreator" = "pid 390, WindowServer"
    }

+-o AGXDeviceUserClient  <class AGXDeviceUserClient, id 0x100000a02, !registered, active>
    {
      "IOUserClientCreator" = "pid 4711, Python, x"
    }

+-o AGXDeviceUserClient  <class AGXDeviceUserClient, id 0x100000a03, !registered, active>
    {
      "IOUserClientCreator" = "pid 390, WindowServer"
    }
)";

inline void put_ioreg(const WatchMachine& machine) {
  machine.note("accelerator", kIoregAccelerator);
  machine.note("clients", kIoregClients);
  machine.program("ioreg", R"(echo "$*" >> $here/runs
case "$7" in
IOAccelerator) cat $here/accelerator ;;
AGXDeviceUserClient) cat $here/clients ;;
esac)");
  machine.program("sysctl", "echo 34359738368");
}

inline std::string powermetrics_plist(double idle_ratio, int energy_mj) {
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
         "<!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST 1.0//EN\" \"x.dtd\">\n"
         "<plist version=\"1.0\">\n<dict>\n<key>is_delta</key><true/>\n"
         "<key>elapsed_ns</key><integer>1000000000</integer>\n"
         "<key>hw_model</key><string>MacBookPro18,3</string>\n<key>gpu</key>\n<dict>\n"
         "<key>freq_hz</key><real>338.7</real>\n<key>idle_ratio</key><real>" +
         std::to_string(idle_ratio) +
         "</real>\n<key>dvfm_states</key>\n<array>\n<dict>\n<key>freq</key><integer>338</integer>\n"
         "<key>used_ratio</key><real>0.2</real>\n</dict>\n</array>\n"
         "<key>gpu_energy</key><integer>" +
         std::to_string(energy_mj) +
         "</integer>\n<key>idle_ratio</key><real>0.1</real>\n</dict>\n</dict>\n</plist>\n";
}

// Prints two samples and stays, as the real one does between two.
inline void put_powermetrics(const WatchMachine& machine) {
  machine.note("plist1", powermetrics_plist(0.75, 1500));
  machine.note("plist2", powermetrics_plist(0.25, 2500));
  machine.program("powermetrics", R"(echo "$*" >> $here/starts
cat $here/plist1; printf '\000'; cat $here/plist2; exec sleep 1000)");
}

}  // namespace gpusched::testing
