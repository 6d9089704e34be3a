// Writes one Commit inside a transaction that its owner has begun: kept statements, and what is
// known about shared rows. The order matters: what is removed goes last, so that a job that
// changed and was removed in the same turn is gone, and shared rows still in use are seen.
#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "base/result.h"
#include "core/model/job.h"
#include "engine/store.h"
#include "store/audit_rows.h"
#include "store/past_rows.h"
#include "store/rows.h"
#include "store/shared_rows.h"
#include "store/sqlite.h"

namespace gpusched {

// Numbers that are given once in the life of a store.
struct NextNumbers {
  std::uint64_t job = 1;
  std::uint64_t submission = 1;
  std::uint64_t trail = 1;
  std::uint64_t commits = 0;  // So far: tells an older copy from the newest one.
  std::uint64_t alarms_looked = 0;
  friend bool operator==(const NextNumbers&, const NextNumbers&) = default;
};

class Writer {
 public:
  // REQUIRES: the database outlives the writer and has the newest schema.
  static Result<Writer> prepare(Database& database);

  Result<void> write(const Commit& commit);
  // A job with all that belongs to it alone. Also for the jobs of a submission left open.
  Result<void> remove_job(JobId id);
  // After remove_job(): the specs and environments that nobody uses any more.
  Result<void> remove_unused();
  // Must follow every transaction, so that what is known here equals what is in the file.
  void end_transaction(bool committed);

  // What load() found.
  void know_spec(const std::shared_ptr<const JobSpec>& spec, std::int64_t row);
  void know_environment(const std::string& hash, std::int64_t row);
  void know_numbers(const NextNumbers& numbers) { committed_numbers_ = numbers_ = numbers; }
  const NextNumbers& committed_numbers() const { return committed_numbers_; }

 private:
  explicit Writer(Database& database) : database_(&database) {}

  Result<std::int64_t> row_of_spec(const std::shared_ptr<const JobSpec>& spec);
  Result<std::optional<std::int64_t>> row_of_environment(const Environment* environment);
  Result<void> put_job(const Job& job);
  Result<void> replace_job(const Job& job, std::int64_t spec);
  Result<void> put_trail(const TrailEntry& entry);
  void note_numbers(const Submission& submission);
  Result<void> remove_unused_spec(std::int64_t spec);
  Result<void> write_numbers(const Commit& commit);

  Database* database_;
  Statement insert_job_, update_job_, find_spec_of_job_, change_spec_, delete_job_;
  Statement insert_spec_, delete_spec_, insert_environment_, delete_environment_;
  Statement insert_trail_, delete_trail_;
  Statement put_meta_, put_numbers_;
  Durable<RowStatements> rows_;
  AuditRows audit_;
  PastRows past_;

  SpecRows specs_;
  EnvironmentRows environments_;
  NextNumbers numbers_;
  NextNumbers committed_numbers_;  // After the last transaction.
  // Perhaps unused since a job left them; looked at by remove_unused().
  std::set<std::int64_t> left_specs_;
};

}  // namespace gpusched
