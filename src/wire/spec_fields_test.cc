// Every field of the list makes its way through every message, with a value that is not its
// default. A new field is tried by these tests without a word here.
#include "wire/spec_fields.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "json/json_value.h"
#include "wire/job.h"
#include "wire/spec.h"
#include "wire/spec_values.h"
#include "wire/submit.h"

namespace gpusched {
namespace {

// Some other value than the default.
void change(std::string& value, Plain) { value = "/some text"; }
void change(std::vector<std::string>& value, Plain) { value = {"a", "b"}; }
void change(bool& value, Plain) { value = !value; }
void change(int& value, Plain) { value += 7; }
void change(std::uint32_t& value, Plain) { value = 7; }
void change(std::uint64_t& value, Plain) { value += 7; }
void change(Seconds& value, Plain) { value += Seconds{7}; }
void change(std::optional<Wall>& value, Plain) { value = Wall{Seconds{1'767'254'400}}; }
void change(CardCount& value, Plain) { value = {2, 4}; }
void change(CardList& value, Plain) { value = {{CardNumber{3}}, {"left"}}; }
void change(CpuUse& value, Plain) { value = CpuUse::kFallback; }
void change(PreemptPolicy& value, Plain) { value = PreemptPolicy::kNever; }
void change(Attach& value, Plain) { value = Attach::kPty; }
void change(std::vector<Dependency>& value, Plain) { value = {{JobId{7}, DependencyKind::kFail}}; }
void change(CauseSet& value, Plain) { value = cause_bit(Cause::kLaunch); }
void change(std::shared_ptr<const ResourceLimits>& value, Plain) {
  value = std::make_shared<const ResourceLimits>(ResourceLimits{{7, 1, 2}});
}
void change(std::shared_ptr<const SaveTerms>& value, Plain) {
  value = std::make_shared<const SaveTerms>(SaveTerms{12, Seconds{90}});
}
void change(TimeRule& value, AsWarnSignal) {
  value.warn_signal = 10;
  value.warn_before = Seconds{5};
}
void change(SpecExtras& value, AsTerminal) {
  value.terminal_rows = 24;
  value.terminal_columns = 80;
}
void change(int& value, AsArrayLimit) { value = 4; }

template <class Row>
using Form = typename std::remove_cvref_t<Row>::Form;

template <class Row>
JobSpec changed_in(const Row& row) {
  JobSpec spec;
  auto value = row.in(spec);
  change(value, Form<Row>{});
  row.put(spec, std::move(value));
  return spec;
}

template <class Row>
std::string text_of(const Row& row, const JobSpec& spec) {
  std::string text;
  JsonWriter json(text);
  write_value(json, row.in(spec), Form<Row>{});
  return text;
}

std::string text_of(const JobSpec& spec) { return spec_to_json(spec); }

std::string details_of(const JobSpec& spec) {
  Job job;
  job.id = JobId{7};
  job.spec = std::make_shared<const JobSpec>(spec);
  std::string text;
  JsonWriter json(text);
  write_job_details(json, job, {}, {}, nullptr);
  return text;
}

TEST(SpecFields, EachIsKeptInTheStore) {
  for_each_spec_field([](const auto& row) {
    const JobSpec spec = changed_in(row);
    ASSERT_NE(text_of(spec), text_of(JobSpec{})) << row.name;
    const Result<JobSpec> again = spec_from_json(text_of(spec));
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_EQ(text_of(*again), text_of(spec)) << row.name;
    EXPECT_EQ(text_of(row, *again), text_of(row, spec)) << row.name;
  });
}

TEST(SpecFields, EachCanBeAskedForUnlessOnlyTheStoreHasIt) {
  for_each_spec_field([](const auto& row) {
    const std::string text = fmt::format(R"({{"{}":{}}})", row.name, text_of(row, changed_in(row)));
    JobSpec spec;
    const Result<JsonValue> value = parse_json(text);
    Fields fields(*value);
    read_spec_fields(fields, spec, SpecSource::kRequest);
    EXPECT_EQ(fields.finish().has_value(), !row.terms.stored_only) << text;
  });
}

TEST(SpecFields, EachThatIsShownIsReadBackFromTheDetails) {
  for_each_spec_field([](const auto& row) {
    if (row.terms.shown == Shown::kNowhere) return;
    const JobSpec spec = changed_in(row);
    const Result<JsonValue> details = parse_json(details_of(spec));
    ASSERT_TRUE(details) << row.name;
    EXPECT_EQ(text_of(row, read_shown_fields(*details)), text_of(row, spec)) << row.name;
  });
}

TEST(SpecFields, DetailsHaveTheSameFieldsWhateverIsAsked) {
  const auto names_of = [](const JobSpec& spec) {
    std::vector<std::string> names;
    const Result<JsonValue> details = parse_json(details_of(spec));
    for (const auto& [name, unused] : *details->template as<JsonObject>()) names.push_back(name);
    return names;
  };
  for_each_spec_field([&](const auto& row) {
    EXPECT_EQ(names_of(changed_in(row)), names_of(JobSpec{})) << row.name;
  });
}

TEST(SpecFields, SetChangesThoseThatMayChangeAndNothingElse) {
  for_each_spec_field([](const auto& row) {
    const JobSpec wanted = changed_in(row);
    const auto patch = parse_patch(fmt::format(R"({{"{}":{}}})", row.name, text_of(row, wanted)));
    ASSERT_EQ(patch.has_value(), row.terms.set != Settable::kNever) << row.name;
    if (!patch) return;
    EXPECT_EQ(text_of(patch->applied_to(JobSpec{})), text_of(wanted)) << row.name;
    EXPECT_EQ(patch->only_for_waiting(), row.terms.set == Settable::kWaiting) << row.name;
  });
}

TEST(SpecFields, ASpecThatIsPatchedBackToItsDefaultsTakesNoRoom) {
  JobSpec spec;
  spec.extras.edit().tags = {"x"};
  spec.needs.cards.edit().type = "a100";
  const auto patch = parse_patch(R"({"tags":[],"card_type":""})");
  ASSERT_TRUE(patch) << patch.error().message;
  const JobSpec plain = patch->applied_to(spec);
  EXPECT_TRUE(plain.extras.unset());
  EXPECT_TRUE(plain.needs.cards.unset());
  EXPECT_TRUE(spec_from_json(text_of(JobSpec{}))->extras.unset());
}

// The digest of a submission with a key is made of this text: one that was sent before an upgrade
// must be known again after it.
TEST(SpecFields, TheTextOfThePlainSpecNeverChanges) {
  EXPECT_EQ(text_of(JobSpec{}),
            R"({"command":[],"shell":false,"working_directory":"","umask":18,)"
            R"("resource_limits":[],"tags":[],"after":[],"retry_causes":["exit","signal",)"
            R"("cuda_oom","host_oom","gpu_lost","vram_limit","supervisor_lost","restore_lost"],)"
            R"("name":"","group":"","project":"","key":"","gpus":{"least":1,"most":1},)"
            R"("vram_bytes":0,"share_percent":0,"exclusive":false,"cpus":0,"ram_bytes":0,)"
            R"("cpu_use":"never","only_cards":[],"avoid_cards":[],"card_type":"",)"
            R"("time_limit_s":0,"grace_s":10,"signal":null,"retries":0,"retry_back_off_s":5,)"
            R"("restartable":false,"preempt":"auto","begin":null,"expire":null,)"
            R"("output_path":"","error_path":"","attach":"none",)"
            R"("terminal":{"rows":0,"columns":0}})");
}

// | `name` | … | … |: the cells of the rows of a table, below the line that begins with `head`.
std::vector<std::vector<std::string>> table_of(const std::string& path, std::string_view head) {
  std::ifstream file(path);
  std::vector<std::vector<std::string>> rows;
  bool inside = false;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(head)) {
      inside = true;
    } else if (inside && !line.starts_with("| ---")) {
      if (!line.starts_with("| ")) break;
      std::vector<std::string> cells;
      for (std::size_t at = 2; at < line.size();) {
        const std::size_t end = std::min(line.find(" |", at), line.size());
        cells.push_back(line.substr(at, end - at));
        at = end + 3;
      }
      rows.push_back(std::move(cells));
    }
  }
  return rows;
}

TEST(SpecFields, TheTableInTheDocumentsIsThisList) {
  const auto rows = table_of(GPUSCHED_SOURCE_DIRECTORY "/docs/api.md", "| field | flag | `set` |");
  for_each_spec_field([&](const auto& field) {
    const std::string name = fmt::format("`{}`", field.name);
    const auto row =
        std::ranges::find_if(rows, [&](const auto& cells) { return cells[0] == name; });
    ASSERT_NE(row, rows.end()) << name << " is not in docs/api.md";
    const std::string_view until = field.terms.set == Settable::kAlive     ? "until it ends"
                                   : field.terms.set == Settable::kWaiting ? "while it waits"
                                                                           : "–";
    EXPECT_EQ((*row)[2], until) << name;
  });
  // priority, hold, environment and tasks are of the submission, not of the spec.
  EXPECT_EQ(rows.size(), kSpecFieldCount + 4);
}

}  // namespace
}  // namespace gpusched
