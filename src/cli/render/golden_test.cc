// Every screen at four widths, against files in tests/golden/cli. tools/golden.sh writes them anew;
// read the difference before it is committed.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "base/text.h"
#include "cli/commands/verbs.h"
#include "cli/display.h"
#include "cli/doctor/doctor.h"
#include "cli/files.h"
#include "cli/help.h"
#include "cli/render/columns.h"
#include "cli/render/render.h"
#include "cli/render/sweep_jobs.h"
#include "cli/views/tenant_view.h"
#include "cli/views/view_reader.h"
#include "json/json_value.h"

namespace gpusched::cli {
namespace {

const std::string kDirectory = GPUSCHED_GOLDEN_DIRECTORY "/cli/";

Page page_of(std::size_t width, bool colour = false) {
  return {.width = width,
          .colour = colour,
          .now = *parse_rfc3339("2026-01-01T10:00:00.000Z"),
          .offset_at = [](Wall) { return Seconds{3600}; }};
}

std::string input(const std::string& name) { return *read_input(kDirectory + name); }

void compare(const std::string& name, const std::string& text) {
  const std::string path = kDirectory + name + ".txt";
  if (std::getenv("GPUSCHED_UPDATE_GOLDEN") != nullptr) {
    std::ofstream(path) << text;
    return;
  }
  const auto expected = read_input(path);
  ASSERT_TRUE(expected) << expected.error().message;
  EXPECT_EQ(*expected, text) << name;
}

// A screen that is not cut by hand fits its width.
void expect_fits(const std::string& name, const std::string& text, std::size_t width) {
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t end = text.find('\n', begin);
    EXPECT_LE(display_width(text.substr(begin, end - begin)), width) << name;
    begin = end + 1;
  }
}

template <class Render>
void at_all_widths(const std::string& name, Render render) {
  for (const std::size_t width : {60U, 80U, 120U, 200U}) {
    const std::string text = render(page_of(width));
    const std::string full = fmt::format("{}-{}", name, width);
    expect_fits(full, text, width);
    compare(full, text);
  }
  // Narrower than anybody has it: it must still fit.
  expect_fits(name, render(page_of(50)), 50);
}

TEST(Golden, Overview) {
  const auto view = parse_overview(input("overview.json"));
  ASSERT_TRUE(view);
  at_all_widths("overview", [&](const Page& page) { return render_overview(*view, page); });
  compare("overview-colour", render_overview(*view, page_of(100, true)));
  compare("overview-pipe", render_overview(*view, page_of(0)));
  compare("overview-empty", render_overview({}, page_of(80)));
}

TEST(Golden, Jobs) {
  const auto jobs = parse_jobs(input("jobs.json"));
  ASSERT_TRUE(jobs);
  at_all_widths("jobs", [&](const Page& page) { return render_jobs(*jobs, page); });
}

TEST(Golden, OverviewWithSweeps) {
  const auto view = parse_overview(input("overview-sweeps.json"));
  ASSERT_TRUE(view);
  at_all_widths("overview-sweeps", [&](const Page& page) { return render_overview(*view, page); });
}

TEST(Golden, SweepAndItsJobs) {
  const auto sweep = parse_sweep(input("sweep.json"));
  ASSERT_TRUE(sweep);
  at_all_widths("sweep", [&](const Page& page) { return render_sweep(*sweep, page); });
  const auto jobs = parse_jobs(input("sweep-jobs.json"));
  ASSERT_TRUE(jobs);
  at_all_widths("sweep-jobs", [&](const Page& page) { return SweepJobs(*jobs, page).table(page); });
  SweepJobs table(*jobs, page_of(0));
  ASSERT_TRUE(table.sort({.by = "loss"}));
  compare("sweep-jobs-csv", table.csv());
}

TEST(Golden, JobsWithChosenColumns) {
  const auto jobs = parse_jobs(input("jobs.json"));
  ASSERT_TRUE(jobs);
  const auto columns = parse_columns("id,name,state,time,ended,command");
  ASSERT_TRUE(columns);
  at_all_widths("columns", [&](const Page& page) { return render_columns(*jobs, *columns, page); });
  compare("jobs-csv", render_csv(*jobs, usual_columns()));
}

TEST(Golden, Details) {
  const auto jobs = parse_job_details(input("details.json"));
  ASSERT_TRUE(jobs);
  ASSERT_EQ(jobs->size(), 1U);
  at_all_widths("details", [&](const Page& page) { return render_details((*jobs)[0], page); });
}

TEST(Golden, DetailsOfAJobThatIsAside) {
  const auto jobs = parse_job_details(input("details-aside.json"));
  ASSERT_TRUE(jobs) << jobs.error().message;
  at_all_widths("details-aside", [&](const Page& page) {
    std::string text;
    for (const JobDetails& job : *jobs) text += render_details(job, page) + "\n";
    return text;
  });
}

TEST(Golden, Explain) {
  const auto view = parse_explain(input("explain.json"));
  ASSERT_TRUE(view);
  at_all_widths("explain", [&](const Page& page) { return render_explain(*view, page); });
}

TEST(Golden, Trail) {
  const auto trail = parse_trail(input("trail.json"));
  ASSERT_TRUE(trail);
  at_all_widths("trail", [&](const Page& page) { return render_trail(*trail, page); });
}

TEST(Golden, Gpus) {
  const auto view = parse_gpus(input("gpus.json"));
  ASSERT_TRUE(view);
  at_all_widths("gpus", [&](const Page& page) { return render_gpus(*view, page); });
}

TEST(Golden, WatchedGpus) {
  const auto view = parse_gpus(input("gpus-watched.json"));
  ASSERT_TRUE(view);
  at_all_widths("gpus-watched", [&](const Page& page) { return render_gpus(*view, page); });
  compare("gpus-watched-pipe", render_gpus(*view, page_of(0)));
}

TEST(Golden, GpusWithSomeAside) {
  const auto view = parse_gpus(input("gpus-aside.json"));
  ASSERT_TRUE(view);
  at_all_widths("gpus-aside", [&](const Page& page) { return render_gpus(*view, page); });
}

TEST(Golden, Groups) {
  const auto groups = parse_groups(input("groups.json"));
  ASSERT_TRUE(groups);
  at_all_widths("groups", [&](const Page& page) { return render_groups(*groups, page); });
}

TEST(Golden, Audit) {
  const auto audit = parse_message<wire::Audit>(input("audit.json"));
  ASSERT_TRUE(audit);
  at_all_widths("audit", [&](const Page& page) { return render_audit(audit->entries, page); });
  compare("audit-csv", audit_csv(audit->entries));
}

TEST(Golden, Alarms) {
  const auto list = parse_message<wire::AlarmList>(input("alarms.json"));
  ASSERT_TRUE(list);
  at_all_widths("alarms", [&](const Page& page) {
    return render_alarms(list->alarms, page) + "\n" + render_silences(list->silences, page) + "\n" +
           render_alarm_rules(list->rules, page);
  });
}

TEST(Golden, Tenants) {
  const auto tenants = parse_tenants(input("tenants.json"));
  ASSERT_TRUE(tenants);
  at_all_widths("tenants", [&](const Page& page) { return render_tenants(*tenants, page); });
  compare("tenant", render_tenant(tenants->at(1)));
}

TEST(Golden, Doctor) {
  const std::vector<Finding> findings = {
      {"daemon", Health::kBad, "no gpusched daemon answers at /run/gpusched/gpusched.sock",
       "nothing can be submitted", ""},
      {"kernel", Health::kGood, "Linux 6.1.0", "", ""},
      {"cgroups", Health::kWarn, "v2, not writable here, controllers: cpu memory",
       "a daemon started from here cannot give each job a cgroup of its own",
       "start it as a service (the units delegate a cgroup): systemctl --user start gpuschedd"}};
  at_all_widths("doctor", [&](const Page& page) { return render_findings(findings, page); });
  const auto json = parse_json(findings_json(findings));
  ASSERT_TRUE(json);
  EXPECT_EQ(json->find("checks")->as<JsonArray>()->size(), 3U);
}

TEST(Golden, Help) {
  compare("help", general_help());
  compare("help-submit-80", verb_help(kSubmitVerb, 80));
  compare("help-cancel-80", verb_help(kCancelVerb, 80));
  compare("help-status-80", verb_help(kStatusVerb, 80));
  compare("help-sweep-80", verb_help(kSweepVerb, 80));
}

TEST(Verbs, AreCompleteAndTellApart) {
  for (const Verb* verb : all_verbs()) {
    EXPECT_NE(verb->run, nullptr) << verb->name;
    EXPECT_FALSE(verb->summary.empty()) << verb->name;
    EXPECT_EQ(find_verb(verb->name), verb);
    if (verb->hidden || verb == &kServeVerb) continue;
    EXPECT_FALSE(verb->examples.empty()) << verb->name;
    EXPECT_NE(find_flag(verb->sections, "--json"), nullptr) << verb->name;
    EXPECT_NE(find_flag(verb->sections, "--help"), nullptr) << verb->name;
  }
  for (const Verb* verb :
       {&kSubmitVerb, &kRunVerb, &kCancelVerb, &kHoldVerb, &kReleaseVerb, &kRequeueVerb, &kSetVerb,
        &kGroupVerb, &kTenantVerb, &kBackupVerb, &kCertVerb, &kAdoptVerb, &kDisownVerb}) {
    EXPECT_NE(find_flag(verb->sections, "--dry-run"), nullptr) << verb->name;
  }
}

TEST(Verbs, UseEveryFlagNameAndLetterOnce) {
  for (const Verb* verb : all_verbs()) {
    std::string letters;
    std::vector<std::string_view> names;
    for (const FlagSection& section : verb->sections) {
      for (const Flag& flag : section.flags) {
        EXPECT_EQ(std::count(names.begin(), names.end(), flag.name), 0)
            << verb->name << " " << flag.name;
        names.push_back(flag.name);
        if (flag.letter == 0) continue;
        EXPECT_EQ(letters.find(flag.letter), std::string::npos) << verb->name << " " << flag.name;
        letters += flag.letter;
      }
    }
  }
}

TEST(Views, IgnoreWhatTheyDoNotKnowAndMissNothing) {
  const auto job = parse_job(R"({"id":7,"state":"novel","future":{"x":[1]},"priority":"fifty"})");
  ASSERT_TRUE(job);
  EXPECT_EQ(job->id, 7U);
  EXPECT_EQ(job->priority, 50);
  EXPECT_FALSE(parse_job("not json"));
  EXPECT_EQ(parse_job("{").error().code, ErrorCode::kUnsupported);
}

}  // namespace
}  // namespace gpusched::cli
