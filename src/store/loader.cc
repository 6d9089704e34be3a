#include "store/loader.h"

#include <fmt/format.h>

#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "store/audit_rows.h"
#include "store/job_row.h"
#include "store/row_text.h"
#include "store/rows.h"
#include "wire/environment.h"
#include "wire/spec.h"

namespace gpusched {
namespace {

using Environments = std::unordered_map<std::int64_t, std::shared_ptr<const Environment>>;
using Specs = std::unordered_map<std::int64_t, std::shared_ptr<const JobSpec>>;

Result<void> for_each_row(Database& database, const char* sql,
                          const std::function<Result<void>(const Statement&)>& use) {
  Result<Statement> query = database.prepare(sql);
  if (!query) return failure(query.error());
  for (;;) {
    const Result<bool> row = query->next();
    if (!row) return failure(row.error());
    if (!*row) return {};
    if (Result<void> done = use(*query); !done) return done;
  }
}

Result<void> read_meta(Database& database, StoreImage& image, std::uint64_t& commits) {
  std::optional<std::uint64_t> looked;
  Result<void> done = for_each_row(database, "SELECT name, value FROM meta",
                                   [&](const Statement& row) -> Result<void> {
                                     const std::string_view name = row.text(0);
                                     const auto number = static_cast<std::uint64_t>(row.integer(1));
                                     if (name == "boot_id") image.boot_id = row.text(1);
                                     if (name == "next_job") image.next_job = JobId{number};
                                     if (name == "next_submission") image.next_submission = number;
                                     if (name == "next_trail_sequence")
                                       image.next_trail_sequence = number;
                                     if (name == "commits") commits = number;
                                     if (name == "clock")
                                       image.clock = Wall{Microseconds{row.integer(1)}};
                                     if (name == "alarms_looked") looked = number;
                                     return {};
                                   });
  image.alarms_looked = looked.value_or(image.next_trail_sequence - 1);
  return done;
}

// What failed, and no look at the alarms has seen.
Result<void> read_unlooked(Database& database, StoreImage& image) {
  const std::string sql = fmt::format(
      "SELECT trail.job, sequence, at, trail.attempt, kind, text FROM jobs CROSS JOIN trail"
      " ON trail.job = jobs.id AND sequence > {} WHERE jobs.state = 'failed' AND kind = 'failed'"
      " ORDER BY sequence LIMIT {}",
      image.alarms_looked, kUnlookedMost);
  return for_each_row(database, sql.c_str(), [&](const Statement& row) -> Result<void> {
    image.unlooked.push_back({.sequence = static_cast<std::uint64_t>(row.integer(1)),
                              .job = JobId{static_cast<std::uint64_t>(row.integer(0))},
                              .at = Wall(Microseconds(row.integer(2))),
                              .attempt = static_cast<int>(row.integer(3)),
                              .kind = std::string(row.text(4)),
                              .text = std::string(row.text(5))});
    return {};
  });
}

Result<Environments> read_environments(Database& database, Writer& writer) {
  Environments environments;
  // What only ended jobs have stays where it is.
  Result<void> done = for_each_row(
      database,
      "SELECT id, hash, CASE WHEN EXISTS(SELECT 1 FROM specs JOIN jobs ON jobs.spec = specs.id"
      " WHERE specs.environment = environments.id"
      " AND jobs.state NOT IN ('completed', 'failed', 'cancelled')) THEN content END"
      " FROM environments",
      [&](const Statement& row) -> Result<void> {
        auto environment = std::make_shared<Environment>();
        environment->hash = row.text(1);
        environment->away = row.is_null(2);
        if (!environment->away) environment->variables = environment_from_bytes(row.text(2));
        writer.know_environment(environment->hash, row.integer(0));
        environments.emplace(row.integer(0), std::move(environment));
        return {};
      });
  if (!done) return failure(done.error());
  return environments;
}

Error damaged(const char* table, std::int64_t row, const std::string& why) {
  return {ErrorCode::kIo,
          fmt::format("read {} {} from the store: {}: the database is damaged; restore a backup",
                      table, row, why)};
}

Result<Specs> read_specs(Database& database, Writer& writer, const Environments& environments) {
  Specs specs;
  EnvironmentPool pool;  // For resource limits.
  Result<void> done =
      for_each_row(database, "SELECT id, environment, spec FROM specs",
                   [&](const Statement& row) -> Result<void> {
                     const std::int64_t id = row.integer(0);
                     Result<JobSpec> spec = spec_from_json(row.text(2));
                     if (!spec) return failure(damaged("spec", id, spec.error().message));
                     if (const auto environment = row.maybe_integer(1)) {
                       const auto found = environments.find(*environment);
                       if (found == environments.end()) {
                         return failure(damaged("spec", id, "its environment is missing"));
                       }
                       spec->environment = found->second;
                     }
                     spec->limits = pool.share(spec->limits);
                     auto shared = std::make_shared<const JobSpec>(std::move(*spec));
                     writer.know_spec(shared, id);
                     specs.emplace(id, std::move(shared));
                     return {};
                   });
  if (!done) return failure(done.error());
  return specs;
}

Result<void> read_jobs(Database& database, const Specs& specs, StoreImage& image) {
  return for_each_row(database, kSelectJobs, [&](const Statement& row) -> Result<void> {
    Result<JobRow> read = read_job(row);
    if (!read) return failure(read.error());
    const auto found = specs.find(read->spec);
    if (found == specs.end()) {
      return failure(damaged("job", row.integer(0), "its spec is missing"));
    }
    read->job.spec = found->second;
    image.jobs.push_back(std::move(read->job));
    return {};
  });
}

Result<void> remove_open(Database& database, Writer& writer) {
  std::vector<JobId> jobs;
  Result<void> done =
      for_each_row(database,
                   "SELECT jobs.id FROM submissions JOIN jobs ON jobs.id >= submissions.first_job"
                   " AND jobs.id < submissions.first_job + submissions.jobs WHERE submissions.open",
                   [&](const Statement& row) -> Result<void> {
                     jobs.push_back(JobId{static_cast<std::uint64_t>(row.integer(0))});
                     return {};
                   });
  for (std::size_t i = 0; done && i < jobs.size(); ++i) done = writer.remove_job(jobs[i]);
  if (done) done = writer.remove_unused();
  if (done) done = database.run("DELETE FROM submissions WHERE open");
  return done;
}

}  // namespace

Result<void> remove_open_submissions(Database& database, Writer& writer) {
  const Result<std::string> open =
      database.ask("SELECT EXISTS(SELECT 1 FROM submissions WHERE open)");
  if (!open) return failure(open.error());
  if (*open == "0") return {};
  if (Result<void> begun = database.run("BEGIN IMMEDIATE"); !begun) return begun;
  Result<void> done = remove_open(database, writer);
  if (done) done = database.run("COMMIT");
  if (!done && database.in_transaction()) (void)database.run("ROLLBACK");
  writer.end_transaction(done.has_value());
  return done;
}

Result<StoreImage> read_image(Database& database, Writer& writer) {
  StoreImage image;
  std::uint64_t commits = 0;
  if (Result<void> done = read_meta(database, image, commits); !done) {
    return failure(done.error());
  }
  const Result<Environments> environments = read_environments(database, writer);
  if (!environments) return failure(environments.error());
  const Result<Specs> specs = read_specs(database, writer, *environments);
  if (!specs) return failure(specs.error());
  const Result<std::string> audit = database.ask(kNextAudit);
  if (!audit) return failure(audit.error());
  image.next_audit = std::strtoull(audit->c_str(), nullptr, 10);
  if (Result<void> done = read_jobs(database, *specs, image); !done) return failure(done.error());
  if (Result<void> done = read_rows(database, image); !done) return failure(done.error());
  if (Result<void> done = read_unlooked(database, image); !done) return failure(done.error());
  writer.know_numbers({.job = number_of(image.next_job),
                       .submission = image.next_submission,
                       .trail = image.next_trail_sequence,
                       .commits = commits,
                       .alarms_looked = image.alarms_looked});
  return image;
}

}  // namespace gpusched
