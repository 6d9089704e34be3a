#include "store/writer.h"

#include <algorithm>
#include <utility>

#include "store/job_row.h"
#include "store/row_text.h"
#include "wire/spec.h"

namespace gpusched {

Result<Writer> Writer::prepare(Database& database) {
  Writer writer(database);
  const std::pair<Statement*, const char*> wanted[] = {
      {&writer.insert_job_, kInsertJob},
      {&writer.update_job_, kUpdateJob},
      {&writer.find_spec_of_job_, "SELECT spec FROM jobs WHERE id = ?"},
      {&writer.change_spec_, "UPDATE jobs SET spec = ? WHERE id = ?"},
      {&writer.delete_job_, "DELETE FROM jobs WHERE id = ?"},
      {&writer.insert_spec_, "INSERT INTO specs(environment, spec) VALUES(?, ?)"},
      {&writer.delete_spec_,
       "DELETE FROM specs WHERE id = ?1 AND NOT EXISTS(SELECT 1 FROM jobs WHERE spec = ?1)"
       " RETURNING environment"},
      {&writer.insert_environment_,
       "INSERT INTO environments(hash, content) VALUES(?, CAST(? AS BLOB))"},
      {&writer.delete_environment_,
       "DELETE FROM environments WHERE id = ?1"
       " AND NOT EXISTS(SELECT 1 FROM specs WHERE environment = ?1)"},
      {&writer.insert_trail_,
       "INSERT INTO trail(job, sequence, at, attempt, kind, text)"
       " VALUES(?, ?, ?, ?, ?, ?)"},
      {&writer.delete_trail_, "DELETE FROM trail WHERE job = ?"},
      {&writer.put_meta_, "INSERT OR REPLACE INTO meta(name, value) VALUES(?, ?)"},
      {&writer.put_numbers_,
       "INSERT OR REPLACE INTO meta(name, value) VALUES('next_job', ?),"
       " ('next_submission', ?), ('next_trail_sequence', ?), ('commits', ?),"
       " ('alarms_looked', ?)"},
  };
  for (const auto& [statement, sql] : wanted) {
    Result<Statement> prepared = database.prepare(sql);
    if (!prepared) return failure(prepared.error());
    *statement = std::move(*prepared);
  }
  if (Result<void> done = prepare_rows(database, writer.rows_); !done) return failure(done.error());
  if (Result<void> done = writer.audit_.prepare(database); !done) return failure(done.error());
  if (Result<void> done = writer.past_.prepare(database); !done) return failure(done.error());
  return writer;
}

Result<void> Writer::write(const Commit& commit) {
  for (const Job& job : commit.jobs.put) {
    if (Result<void> done = put_job(job); !done) return done;
  }
  for (const TrailEntry& entry : commit.trail) {
    if (Result<void> done = put_trail(entry); !done) return done;
  }
  for (const Submission& submission : commit.submissions.put) note_numbers(submission);
  for (const Message& message : commit.messages.put) {
    numbers_.trail = std::max(numbers_.trail, message.id + 1);
  }
  for (const Silence& silence : commit.silences.put) {
    numbers_.trail = std::max(numbers_.trail, silence.id + 1);
  }
  if (Result<void> done = write_rows(rows_, commit); !done) return done;
  if (commit.boot_id) {
    if (Result<void> done = put_meta_.run("boot_id", *commit.boot_id); !done) return done;
  }
  for (const JobId id : commit.jobs.removed) {
    if (Result<void> done = remove_job(id); !done) return done;
  }
  if (Result<void> done = remove_unused(); !done) return done;
  if (Result<void> done = audit_.write(commit); !done) return done;
  if (Result<void> done = past_.write(commit); !done) return done;
  return write_numbers(commit);
}

Result<void> Writer::put_job(const Job& job) {
  const Result<std::int64_t> spec = row_of_spec(job.spec);
  if (!spec) return failure(spec.error());
  if (gpusched::number_of(job.id) >= numbers_.job) {
    numbers_.job = gpusched::number_of(job.id) + 1;
    return insert_job(insert_job_, job, *spec);
  }
  if (Result<void> done = update_job(update_job_, job, *spec); !done) return done;
  if (database_->changes() > 0) return {};
  return replace_job(job, *spec);
}

// The job is not there, or has another spec there.
Result<void> Writer::replace_job(const Job& job, std::int64_t spec) {
  const std::uint64_t id = gpusched::number_of(job.id);
  find_spec_of_job_.start(id);
  const Result<bool> there = find_spec_of_job_.next();
  if (!there) return failure(there.error());
  if (!*there) return insert_job(insert_job_, job, spec);
  left_specs_.insert(find_spec_of_job_.integer(0));
  find_spec_of_job_.stop();
  if (Result<void> done = change_spec_.run(spec, id); !done) return done;
  return update_job(update_job_, job, spec);
}

Result<std::int64_t> Writer::row_of_spec(const std::shared_ptr<const JobSpec>& spec) {
  if (const std::optional<std::int64_t> row = specs_.find(spec)) return *row;
  const Result<std::optional<std::int64_t>> environment =
      row_of_environment(spec->environment.get());
  if (!environment) return failure(environment.error());
  if (Result<void> done = insert_spec_.run(*environment, spec_to_json(*spec)); !done) {
    return failure(done.error());
  }
  const std::int64_t row = database_->last_row();
  specs_.add(spec, row);
  return row;
}

Result<std::optional<std::int64_t>> Writer::row_of_environment(const Environment* environment) {
  if (environment == nullptr) return std::nullopt;
  if (const auto row = environments_.find(environment->hash)) return row;
  if (Result<void> done =
          insert_environment_.run(environment->hash, environment_to_bytes(*environment));
      !done) {
    return failure(done.error());
  }
  const std::int64_t row = database_->last_row();
  environments_.add(environment->hash, row);
  return row;
}

Result<void> Writer::put_trail(const TrailEntry& entry) {
  numbers_.trail = std::max(numbers_.trail, entry.sequence + 1);
  return insert_trail_.run(gpusched::number_of(entry.job), entry.sequence,
                           entry.at.time_since_epoch().count(), entry.attempt, entry.kind,
                           entry.text);
}

void Writer::note_numbers(const Submission& submission) {
  const std::uint64_t first = gpusched::number_of(submission.first);
  numbers_.submission = std::max(numbers_.submission, submission.id + 1);
  numbers_.job = std::max(numbers_.job, first + submission.count);
}

Result<void> Writer::remove_job(JobId id) {
  const std::uint64_t number = gpusched::number_of(id);
  find_spec_of_job_.start(number);
  const Result<bool> there = find_spec_of_job_.next();
  if (!there) return failure(there.error());
  if (*there) {
    left_specs_.insert(find_spec_of_job_.integer(0));
    find_spec_of_job_.stop();
    if (Result<void> done = delete_job_.run(number); !done) return done;
  }
  return delete_trail_.run(number);
}

Result<void> Writer::remove_unused() {
  for (const std::int64_t spec : left_specs_) {
    if (Result<void> done = remove_unused_spec(spec); !done) return done;
  }
  left_specs_.clear();
  return {};
}

Result<void> Writer::remove_unused_spec(std::int64_t spec) {
  delete_spec_.start(spec);
  const Result<bool> removed = delete_spec_.next();
  if (!removed) return failure(removed.error());
  if (!*removed) return {};
  const std::optional<std::int64_t> environment = delete_spec_.maybe_integer(0);
  delete_spec_.stop();
  specs_.remove(spec);
  if (!environment) return {};
  if (Result<void> done = delete_environment_.run(*environment); !done) return done;
  if (database_->changes() > 0) environments_.remove(*environment);
  return {};
}

Result<void> Writer::write_numbers(const Commit& commit) {
  ++numbers_.commits;
  if (commit.clock) {
    if (Result<void> done = put_meta_.run("clock", commit.clock->time_since_epoch().count()); !done)
      return done;
  }
  numbers_.alarms_looked = std::max(numbers_.alarms_looked, commit.alarms_looked);
  return put_numbers_.run(numbers_.job, numbers_.submission, numbers_.trail, numbers_.commits,
                          numbers_.alarms_looked);
}

void Writer::end_transaction(bool committed) {
  specs_.end_transaction(committed);
  environments_.end_transaction(committed);
  audit_.end_transaction(committed);
  past_.end_transaction(committed);
  left_specs_.clear();
  if (committed) {
    committed_numbers_ = numbers_;
  } else {
    numbers_ = committed_numbers_;
  }
}

void Writer::know_spec(const std::shared_ptr<const JobSpec>& spec, std::int64_t row) {
  specs_.add(spec, row);
  specs_.end_transaction(true);
}

void Writer::know_environment(const std::string& hash, std::int64_t row) {
  environments_.add(hash, row);
  environments_.end_transaction(true);
}

}  // namespace gpusched
