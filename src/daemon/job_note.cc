#include "daemon/job_note.h"

#include <memory>
#include <utility>

#include "jobdir/record.h"
#include "store/row_text.h"
#include "wire/spec.h"

namespace gpusched {
namespace {

// Escaped twice it must fit into a record beside the command.
constexpr std::size_t kNoteMost = 32 * 1024;

tl::unexpected<Error> unreadable(const char* what) {
  return failure(ErrorCode::kIo, std::string("read what a job directory says of its job: ") + what);
}

std::shared_ptr<const ArrayTask> task_in(const Record& record) {
  const auto array = record.number("array");
  const auto index = record.number("index");
  const std::string* values = record.find("values");
  if (!array || !index || *array <= 0 || *index < 0 || values == nullptr) return nullptr;
  auto read = task_values_from_text(*values);
  if (!read) return nullptr;
  return std::make_shared<const ArrayTask>(ArrayTask{JobId{static_cast<std::uint64_t>(*array)},
                                                     static_cast<std::uint32_t>(*index),
                                                     std::move(*read)});
}

}  // namespace

std::string note_of(const Job& job) {
  Record record;
  record.set("tenant", job.tenant);
  record.set("priority", std::int64_t{job.priority});
  record.set("submitted_at", job.submitted_at.time_since_epoch().count());
  if (const Grant* grant = grant_of(job)) record.set("granted", grant_to_text(*grant));
  if (job.task) {
    record.set("array", static_cast<std::int64_t>(number_of(job.task->array)));
    record.set("index", std::int64_t{job.task->index});
    record.set("values", task_values_to_text(job.task->values));
  }
  record.set("spec", spec_to_json(*job.spec));
  std::string text = record.write();
  if (text.size() > kNoteMost) text.clear();
  return text;
}

std::string holds_of(const Job& job) {
  const HeldNote held = held_note_of(job);
  Record record;
  record.set("tenant", held.tenant);
  record.set("name", held.name);
  record.set("priority", std::int64_t{held.priority});
  record.set("submitted_at", held.submitted_at.time_since_epoch().count());
  record.set("granted", grant_to_text(held.grant));
  if (held.task) {
    record.set("array", static_cast<std::int64_t>(number_of(held.task->first)));
    record.set("index", std::int64_t{held.task->second});
  }
  return record.write();
}

Result<HeldNote> held_of_text(const std::string& text) {
  auto record = Record::parse(text);
  if (!record) return failure(std::move(record.error()));
  const std::string* tenant = record->find("tenant");
  const std::string* name = record->find("name");
  const std::string* granted = record->find("granted");
  const auto priority = record->number("priority");
  const auto submitted = record->number("submitted_at");
  if (tenant == nullptr || name == nullptr || granted == nullptr || !priority || !submitted) {
    return unreadable("something is missing");
  }
  auto grant = grant_from_text(*granted);
  if (!grant) return unreadable("its grant is damaged");
  HeldNote held{.grant = std::move(*grant),
                .tenant = *tenant,
                .name = *name,
                .priority = static_cast<int>(*priority),
                .submitted_at = Wall{Microseconds{*submitted}}};
  const auto array = record->number("array");
  const auto index = record->number("index");
  if (array && index && *array > 0 && *index >= 0) {
    held.task = {JobId{static_cast<std::uint64_t>(*array)}, static_cast<std::uint32_t>(*index)};
  }
  return held;
}

Result<Job> job_of_note(const std::string& note) {
  auto record = Record::parse(note);
  if (!record) return failure(std::move(record.error()));
  const std::string* tenant = record->find("tenant");
  const std::string* granted = record->find("granted");
  const std::string* spec_text = record->find("spec");
  const auto priority = record->number("priority");
  const auto submitted = record->number("submitted_at");
  if (tenant == nullptr || granted == nullptr || spec_text == nullptr || !priority || !submitted) {
    return unreadable("something is missing");
  }
  auto grant = grant_from_text(*granted);
  if (!grant) return unreadable("its grant is damaged");
  auto spec = spec_from_json(*spec_text);
  if (!spec) return failure(std::move(spec.error()));
  Job job;
  job.spec = std::make_shared<const JobSpec>(std::move(*spec));
  job.task = task_in(*record);
  job.tenant = *tenant;
  job.priority = static_cast<int>(*priority);
  job.submitted_at = Wall{Microseconds{*submitted}};
  job.state = Starting{.grant = std::move(*grant)};
  return job;
}

}  // namespace gpusched
