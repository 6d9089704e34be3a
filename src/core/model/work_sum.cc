#include "core/model/work_sum.h"

#include <algorithm>
#include <utility>

#include "core/model/program.h"
#include "core/model/tenant.h"
#include "core/model/varying_parts.h"

namespace gpusched {
namespace {

constexpr std::size_t kWordMost = 100;  // Bytes of a name or a program.
// A begin that is longer ago than this is a mistake of a clock.
constexpr Microseconds kLongestAttempt = std::chrono::days{400};

double work_seconds(Microseconds time) { return std::chrono::duration<double>(time).count(); }

std::string shortened_word(std::string text) {
  if (text.size() <= kWordMost) return text;
  std::size_t end = kWordMost;
  // Not in the middle of a letter.
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  text.resize(end);
  return text;
}

std::string placeless_program(const Job& job) {
  const JobSpec& spec = *job.spec;
  if (spec.lease) {
    return shortened_word(spec.lease->program.empty() ? spec.lease->application
                                                      : spec.lease->program);
  }
  if (spec.argv.empty()) return {};
  // One script is one program, wherever it lies.
  const std::string program = program_without_places(program_of_command(command_of(job), ""));
  return shortened_word(without_varying_parts(program));
}

// [begin, end) of an attempt that lies on one day.
struct DayPart {
  int day = 0;
  Wall begin{}, end{};
};

// What was used is only known of all its cards together, so each has an equal part.
WorkSums sums_of_part(const AttemptWork& work, const CardGrant& held, const DayPart& part,
                      double share_of_run) {
  WorkSums sums;
  const double seconds = work_seconds(part.end - part.begin);
  // When it was away is not kept, only for how long: of a part, as much as of the whole.
  sums.aside_seconds = std::min(work.aside_seconds * share_of_run, seconds);
  const double on = seconds - sums.aside_seconds;
  sums.gpu_seconds = on;
  for (Wall at = part.begin; at < part.end;) {
    const auto hour = std::chrono::floor<std::chrono::hours>(at.time_since_epoch());
    const Wall next = std::min(part.end, Wall{hour + std::chrono::hours{1}});
    sums.hours.add(static_cast<std::uint8_t>((hour.count() % 24 + 24) % 24),
                   on * work_seconds(next - at) / seconds);
    at = next;
  }
  if (work.used == nullptr) return sums;
  const GpuUsage& used = *work.used;
  const double cards = static_cast<double>(work.grant.cards.size());
  if (used.peak_vram_bytes > 0 && held.vram_bytes < kUnknownHold) {
    sums.seen_seconds = on;
    sums.asked_byte_seconds = static_cast<double>(held.vram_bytes) * on;
    sums.peak_byte_seconds = static_cast<double>(used.peak_vram_bytes) / cards * on;
    sums.used_byte_seconds = static_cast<double>(used.mean_vram_bytes) * on;
  }
  if (used.mean_busy_percent) {
    const double share = held.whole ? 100 : held.share_percent;
    sums.busy_seconds = on;
    sums.busy_percent_seconds = *used.mean_busy_percent * on;
    sums.share_percent_seconds = share * on;
    sums.idle_seconds = std::max(0.0, share - *used.mean_busy_percent) / 100 * on;
  }
  if (used.energy_joules) {
    sums.energy_joules = *used.energy_joules / cards * share_of_run;
    sums.energy_seconds = on;
  }
  return sums;
}

std::vector<DayPart> parts_by_day(Wall begin, Wall end) {
  std::vector<DayPart> parts;
  while (begin < end) {
    const int day = day_of(begin);
    const Wall next = std::min(end, begin_of_day(day + 1));
    parts.push_back({day, begin, next});
    begin = next;
  }
  return parts;
}

}  // namespace

void WorkSums::add(const WorkSums& other) {
  for (const WorkFigure& figure : kWorkFigures) this->*figure.where += other.*figure.where;
  waits.add(other.waits);
  hours.add(other.hours);
  failures.add(other.failures);
  for (const auto& [tenant, seconds] : other.waited_for) waited_while_held_by(tenant, seconds);
}

void WorkSums::waited_while_held_by(const std::string& tenant, double seconds) {
  waited_for[tenant] += seconds;
  while (waited_for.size() > kWaitedForMost) {
    auto least = waited_for.end();
    for (auto it = waited_for.begin(); it != waited_for.end(); ++it) {
      if (it->first == kOtherWork || it->first.empty()) continue;
      if (least == waited_for.end() || it->second < least->second) least = it;
    }
    const double moved = least->second;
    waited_for.erase(least);
    waited_for[kOtherWork] += moved;
  }
}

WorkKey work_key_of(const Job& job) {
  return {.tenant = job.tenant,
          .user = job.owner.user,
          .project = job.spec->project,
          .name = shortened_word(job.spec->name),
          .program = placeless_program(job)};
}

WorkKey work_key_on(WorkKey key, int day, const CardGrant* held, const std::vector<Card>& cards) {
  key.day = day;
  if (held == nullptr) return key;
  key.card = static_cast<int>(number_of(held->card));
  const auto card = std::ranges::find(cards, held->card, &Card::number);
  if (card != cards.end()) key.model = card->model;
  return key;
}

int month_of_day(int day) {
  const std::chrono::year_month_day date{std::chrono::sys_days{std::chrono::days{day}}};
  const std::chrono::sys_days first{date.year() / date.month() / 1};
  return static_cast<int>(first.time_since_epoch().count());
}

int day_after_month(int day) { return month_of_day(month_of_day(day) + 31); }

Wall begin_of_day(int day) { return Wall{std::chrono::days{day}}; }

void split_work(const AttemptWork& work, const std::vector<Card>& cards, const WorkSink& sink) {
  const WorkKey key = work_key_of(work.job);
  const Wall first = work.begin ? std::max(*work.begin, work.end - kLongestAttempt) : work.end;
  const Wall begin = std::max(first, work.since);
  const Wall end = std::min(work.end, work.until);
  const double whole = work_seconds(std::max(Microseconds{0}, work.end - first));
  std::vector<DayPart> parts = parts_by_day(begin, end);
  if (parts.empty()) parts.push_back({day_of(std::min(end, work.end)), end, end});
  const std::size_t pieces = std::max<std::size_t>(work.grant.cards.size(), 1);
  const double piece = 1.0 / static_cast<double>(pieces);
  for (const DayPart& part : parts) {
    const double share = whole > 0 ? work_seconds(part.end - part.begin) / whole : 1;
    for (std::size_t i = 0; i < pieces; ++i) {
      const CardGrant* held = work.grant.cards.empty() ? nullptr : &work.grant.cards[i];
      WorkSums sums;
      if (held != nullptr) sums = sums_of_part(work, *held, part, share);
      if (&part == &parts.back()) {
        sums.jobs = work.jobs * piece;
        sums.attempts = piece;
        if (work.failed) sums.failures.add(static_cast<std::uint8_t>(*work.failed), piece);
        const double limit = static_cast<double>(work.job.spec->time.limit.count());
        if (limit > 0 && work.begin) {
          sums.limit_seconds = limit * piece;
          sums.limited_seconds = std::max(0.0, whole - work.aside_seconds) * piece;
        }
      }
      sink(work_key_on(key, part.day, held, cards), sums);
    }
  }
}

}  // namespace gpusched
