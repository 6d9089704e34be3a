// Many values in one call, by their numbers.
#include "simdriver/card_model.h"
#include "simdriver/clock.h"
#include "simdriver/nvml/session.h"

namespace nvml = gpusched::simdriver::nvml;
using namespace gpusched::simdriver;
using nvml::Device;

namespace {

enum ValueType : std::uint32_t { kU32 = 1, kU64 = 3 };
constexpr std::uint32_t kLinkThroughputFirst = 138;
constexpr std::uint32_t kLinkThroughputLast = 141;

int write_u32(nvml::FieldValue& field, std::uint64_t value) {
  field.type = kU32;
  field.value.u64 = 0;
  field.value.u32 = static_cast<std::uint32_t>(value);
  return nvml::kSuccess;
}
int write_u64(nvml::FieldValue& field, std::uint64_t value) {
  field.type = kU64;
  field.value.u64 = value;
  return nvml::kSuccess;
}

int read_health_field(const nvml::CardCall& call, nvml::FieldValue& field) {
  const bool ecc = call.has(kHasEcc);
  const bool rows = call.has(kHasRowRemapping);
  switch (field.field) {
    case 1:
    case 2:
      return ecc ? write_u32(field, 1) : nvml::kNotSupported;
    case 3:
    case 4:
      return ecc ? write_u64(field, call.state.ecc[field.field - 3][0].load())
                 : nvml::kNotSupported;
    case 5:
    case 6:
      return ecc ? write_u64(field, call.state.ecc[field.field - 5][1].load())
                 : nvml::kNotSupported;
    case 142:
      return rows ? write_u32(field, call.state.remapped_corrected.load()) : nvml::kNotSupported;
    case 143:
      return rows ? write_u32(field, call.state.remapped_uncorrected.load()) : nvml::kNotSupported;
    case 144:
      return rows ? write_u32(field, call.state.rows_pending.load()) : nvml::kNotSupported;
    case 145:
      return rows ? write_u32(field, call.state.rows_failed.load()) : nvml::kNotSupported;
    case 230:
      if (call.world.data().driver_major.load() < 570) return nvml::kInvalidArgument;
      return write_u32(field, call.state.recovery_action.load());
    default:
      return nvml::kNotSupported;
  }
}

int read_link_field(const nvml::CardCall& call, nvml::FieldValue& field) {
  if (call.facts.nvlink_links == 0) return nvml::kNotSupported;
  if (field.field == 91) return write_u32(field, call.facts.nvlink_links);
  if (field.field == 90) return write_u32(field, 26562);
  if (field.scope >= call.facts.nvlink_links && field.scope != 0xffffffff) {
    return nvml::kInvalidArgument;
  }
  return write_u64(field, 0);
}

int read_sensor_field(const nvml::CardCall& call, nvml::FieldValue& field) {
  const CardReading reading = read_card(call.world, call.card);
  switch (field.field) {
    case 82:
      // Only memory beside the chip has a sensor of its own.
      return call.has(kHasRowRemapping) ? write_u32(field, reading.memory_temperature_c)
                                        : nvml::kNotSupported;
    case 83:
    case 191:
      return write_u64(field, reading.energy_mj);
    case 185:
    case 186:
      return write_u32(field, reading.power_mw);
    case 187:
      return write_u32(field, call.facts.lowest_limit_mw);
    case 188:
    case 189:
      return write_u32(field, call.facts.limit_mw);
    case 190:
    case 192:
      return write_u32(field, call.state.power_limit_mw.load());
    case 94:
      return write_u32(field, 0);
    case 74:
    case 75:
    case 76:
    case 269:
    case 270:
    case 271:
      return write_u64(field, 0);
    default:
      return nvml::kNotSupported;
  }
}

int read_field(const nvml::CardCall& call, nvml::FieldValue& field) {
  const std::uint32_t id = field.field;
  if (id == 90 || id == 91 || (id >= kLinkThroughputFirst && id <= kLinkThroughputLast)) {
    return read_link_field(call, field);
  }
  const int code = read_health_field(call, field);
  return code == nvml::kNotSupported ? read_sensor_field(call, field) : code;
}

}  // namespace

extern "C" int nvmlDeviceGetFieldValues(Device device, int count, nvml::FieldValue* fields) {
  return nvml::on_card(__func__, device, fields, [&](const nvml::CardCall& call, auto&) {
    if (count <= 0) return nvml::kInvalidArgument;
    for (int i = 0; i < count; ++i) {
      fields[i].time_us = static_cast<std::int64_t>(wall_us());
      fields[i].latency_us = 1;
      fields[i].code = read_field(call, fields[i]);
    }
    return nvml::kSuccess;
  });
}
