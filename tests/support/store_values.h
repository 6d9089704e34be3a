// Jobs and commits for store tests, and a text of everything a store holds, so that two stores
// can be compared as a whole and a difference can be read.
#pragma once

#include <fmt/format.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/store.h"
#include "wire/spec.h"

namespace gpusched::testing {

inline Wall wall(std::int64_t seconds) { return Wall(Seconds(1'700'000'000 + seconds)); }

inline std::shared_ptr<const Environment> environment(const std::string& name) {
  auto made = std::make_shared<Environment>();
  made->hash = "hash-of-" + name;
  made->variables = {"NAME=" + name, "EMPTY=", "LINES=a\nb", "BYTES=\xff\xfe"};
  return made;
}

inline std::shared_ptr<const JobSpec> spec(const std::string& name,
                                           std::shared_ptr<const Environment> with = nullptr) {
  auto made = std::make_shared<JobSpec>();
  made->argv = {"echo", name};
  made->working_directory = "/";
  made->name = name;
  made->environment = with ? std::move(with) : environment("common");
  return made;
}

inline Job job(std::uint64_t id, std::shared_ptr<const JobSpec> with = nullptr) {
  Job made;
  made.id = JobId{id};
  made.spec = with ? std::move(with) : spec("job" + std::to_string(id));
  made.owner = {.uid = 1000, .gid = 100, .user = "somebody"};
  made.tenant = "lab";
  made.submitted_at = wall(static_cast<std::int64_t>(id));
  return made;
}

inline TrailEntry entry(std::uint64_t sequence, std::uint64_t id, std::string kind = "submitted") {
  return {.sequence = sequence,
          .job = JobId{id},
          .at = wall(static_cast<std::int64_t>(sequence)),
          .attempt = 1,
          .kind = std::move(kind),
          .text = "A sentence."};
}

inline Submission submission(std::uint64_t id, std::uint64_t first, std::uint64_t count,
                             bool open = false) {
  return {.id = id,
          .tenant = "lab",
          .key = "key" + std::to_string(id),
          .fingerprint = "print",
          .first = JobId{first},
          .count = count,
          .open = open};
}

inline AuditEntry audit_entry(std::uint64_t sequence) {
  return {.sequence = sequence,
          .at = wall(5),
          .uid = 4'000'000'000U,
          .user = "user1",
          .role = "operator",
          .proof = "token",
          .pid = 7,
          .token = "k3mx92ab",
          .from = "10.0.0.7",
          .operation = "cancel_jobs",
          .target = "17",
          .summary = "job 17",
          .result = "done",
          .code = "forbidden",
          .key = "once",
          .times = 3};
}

inline Alarm alarm(const std::string& subject) {
  Alarm row{.key = {"temperature", subject},
            .severity = Severity::kCritical,
            .what = "card 0 is at 91 °C",
            .whom = "job 7 of ml1",
            .advice = "look at its fans",
            .since = wall(1),
            .value = 91.25,
            .told_at = wall(2),
            .quiet_because = "silence 3"};
  row.told_to = {"ops", "ml1"};
  row.card = CardNumber{0};
  row.job = JobId{7};
  row.user = "ml1";
  row.tenant = "lab";
  return row;
}

inline Silence silence(std::uint64_t id) {
  return {id, "xid", "card 0", wall(1), wall(2), "ml1", "fan"};
}

inline Token token(const std::string& id) {
  return {.id = id,
          .hash = "of the secret",
          .uid = 4'000'000'000U,
          .user = "user1",
          .role = Role::kOperator,
          .tenant = "lab",
          .name = "laptop",
          .by = "root",
          .made_at = wall(1),
          .expires_at = wall(2),
          .used_at = wall(3)};
}

// One commit of jobs, each with a line in the trail whose sequence is the job's id.
inline PastRuns past_runs(std::uint64_t signature, std::uint64_t count) {
  PastRuns past{.key = {SignatureId{signature}, "Test 24G"}, .tenant = "lab", .runs = {}};
  past.command = "train --lr #";
  past.count = count;
  past.out_of_memory = 1;
  past.last = wall(static_cast<std::int64_t>(count));
  past.runs = {{.attempt = {JobId{3}, 2},
                .end = RunEnd::kOutOfMemory,
                .peak_vram_bytes = 6ULL << 30,
                .load_percent = {},
                .duration = Seconds{90}},
               {.attempt = {JobId{4}, 1},
                .end = RunEnd::kCompleted,
                .peak_vram_bytes = 5ULL << 30,
                .load_percent = 37.5,
                .duration = Microseconds{1'500'000}}};
  return past;
}

inline Commit commit_of(std::vector<Job> jobs) {
  Commit commit;
  for (const Job& each : jobs) {
    commit.trail.push_back(entry(number_of(each.id), number_of(each.id)));
  }
  commit.jobs.put = std::move(jobs);
  return commit;
}

inline std::string text_of(const Grant& grant) {
  std::string text = fmt::format("cpus {} ram {}", grant.cpus, grant.ram_bytes);
  for (const CardGrant& card : grant.cards) {
    text += fmt::format(" card {} vram {} share {} whole {}", number_of(card.card), card.vram_bytes,
                        card.share_percent, card.whole);
  }
  return text;
}

inline std::string text_of(std::optional<Wall> time) {
  return time ? std::to_string(time->time_since_epoch().count()) : "-";
}
inline std::string text_of(std::optional<int> number) {
  return number ? std::to_string(*number) : "-";
}

inline std::string text_of(const JobState& state) {
  struct Text {
    std::string operator()(const Held& held) const {
      return fmt::format("why {}", static_cast<int>(held.why));
    }
    std::string operator()(const Queued& queued) const {
      return fmt::format("retry {} boot {}", text_of(queued.retry_at),
                         queued.retry_boot.has_value());
    }
    std::string operator()(const Starting& starting) const {
      return fmt::format("{} decided {} stopping {}", text_of(starting.grant),
                         text_of(starting.decided_at), static_cast<int>(starting.stopping));
    }
    std::string operator()(const Running& running) const {
      return fmt::format(
          "{} started {} stopping {}{}", text_of(running.grant), text_of(running.started_at),
          static_cast<int>(running.stopping),
          running.used ? fmt::format(" used {}", running.used->peak_card_vram_bytes) : "");
    }
    std::string operator()(const Ended& ended) const {
      return fmt::format(
                 "cause {} exit {} signal {} message '{}' started {} ended {} {} cpu {}+{} rss {}",
                 ended.cause ? cause_name(*ended.cause) : "-", text_of(ended.exit_code),
                 text_of(ended.signal), ended.message, text_of(ended.started_at),
                 text_of(ended.ended_at), text_of(ended.grant), usage_of(ended).user_cpu.count(),
                 usage_of(ended).system_cpu.count(), usage_of(ended).max_rss_bytes) +
             (usage_of(ended).gpu ? fmt::format(" {} {} {}", usage_of(ended).gpu->gpu_seconds,
                                                usage_of(ended).gpu->peak_vram_bytes,
                                                usage_of(ended).gpu->energy_joules.value_or(-1))
                                  : "");
    }
  };
  return fmt::format("{} {}", state_name(state), std::visit(Text{}, state));
}

inline std::string text_of(const Job& each) {
  std::string text = fmt::format(
      "job {} owner {}/{}/{} tenant {} priority {} submitted {} attempt {} failures {} floor {} "
      "saved {}/{}\n  {}\n  {}\n",
      number_of(each.id), each.owner.uid, each.owner.gid, each.owner.user, each.tenant,
      each.priority, text_of(each.submitted_at), each.attempt, each.failures, each.vram_floor_bytes,
      each.saved_attempt, each.quick_saves, text_of(each.state), spec_to_json(*each.spec));
  if (const Environment* environment = each.spec->environment.get()) {
    text += "  environment " + environment->hash;
    // Of an ended job the name is enough.
    for (const std::string& variable :
         each.ended() ? std::vector<std::string>{} : environment->variables) {
      text += " " + variable;
    }
    text += "\n";
  }
  if (each.task != nullptr) {
    text += fmt::format("  task {} of {}:", each.task->index, number_of(each.task->array));
    for (const auto& [name, value] : each.task->values) text += fmt::format(" {}={}", name, value);
    text += "\n";
  }
  return text;
}

// Everything, trails included.
inline std::string text_of(Store& store, const StoreImage& image) {
  std::string text =
      fmt::format("boot {} next job {} submission {} trail {}\n", image.boot_id,
                  number_of(image.next_job), image.next_submission, image.next_trail_sequence);
  for (const Group& group : image.groups)
    text += fmt::format("group {} {}\n", group.name, group.limit);
  for (const Submission& each : image.submissions) {
    text += fmt::format("submission {} {} {} {} {}+{} open {}\n", each.id, each.tenant, each.key,
                        each.fingerprint, number_of(each.first), each.count, each.open);
  }
  for (const Job& each : image.jobs) {
    text += text_of(each);
    const auto trail = store.trail(each.id, 0, 1000);
    if (!trail) return trail.error().message;
    for (const TrailEntry& line : *trail) {
      text += fmt::format("  trail {} at {} attempt {} {}: {}\n", line.sequence, text_of(line.at),
                          line.attempt, line.kind, line.text);
    }
  }
  return text;
}

}  // namespace gpusched::testing
