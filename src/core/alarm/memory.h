// What looks remember from one to the next. It is lost with the daemon: alarms that are on are rows
// and stay; what was on its way to become one begins anew.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/time.h"
#include "core/alarm/clock_line.h"
#include "core/alarm/facts.h"
#include "core/model/alarm.h"
#include "core/model/ids.h"

namespace gpusched {

struct AlarmMemory {
  struct Track {
    std::optional<Boot> bad_since, well_since;
    std::optional<Boot> written_at;  // The row, as far as this daemon did.
    std::optional<Boot> told_at;
    std::optional<double> told_value;
    std::optional<bool> said_well;  // The row's words, as far as this daemon wrote them.
    Seconds gather{0};              // Told after so long.
    bool event = false;             // Something that happened, and is not the case for long.
    bool tell_again = false;
    std::uint64_t look = 0;  // The last one that saw it.
  };
  std::map<AlarmKey, Track> tracks;
  ClockLine clock;
  std::optional<Boot> first_look, last_look;
  std::uint64_t looks = 0;

  struct Xid {
    Boot at{};
    XidFact fact;
  };
  std::map<CardNumber, std::deque<Xid>> xids;
  struct Errors {
    Boot window_began{};
    std::uint64_t corrected_before = 0;
    std::optional<std::uint64_t> uncorrected = {};
    bool uncorrected_rose = false;  // In this look.
  };
  std::map<CardNumber, Errors> errors;
  struct Failures {
    Boot last{};
    std::uint64_t count = 0;
    JobId job{};
    std::string how;
    std::string user, tenant, program;
  };
  std::map<std::string, Failures> failed_of_user;                           // An episode each.
  std::map<std::pair<std::string, std::string>, Failures> failures_in_row;  // By tenant, program.
};

}  // namespace gpusched
