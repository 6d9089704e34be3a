#include "cli/report/report_page.h"

#include <gtest/gtest.h>

namespace gpusched::cli {
namespace {

wire::Report hostile_report(const std::string& name) {
  wire::Report report{.since = Wall{Seconds{1'700'000'000}},
                      .until = Wall{Seconds{1'702'000'000}},
                      .by = "name",
                      .currency = name};
  wire::ReportRow row{.name = name, .jobs = {2}, .gpu_seconds = 7200};
  row.wasted_gpu_seconds = 1800;
  row.cost = 3;
  row.failures = {{.cause = name, .attempts = {1}}};
  report.rows = {row, row};
  report.total = row;
  report.waited_for = {{.tenant = name, .holder = name, .seconds = 60}};
  report.days = {{.day = "2026-01-01", .gpu_seconds = 7200}};
  report.hours = std::vector<double>(24, 10.0);
  report.notes = {{name}};
  report.suggestions = {{.program = name, .text = name}};
  return report;
}

TEST(ReportPage, NoNameBecomesMarkup) {
  for (const char* name : {"<script>alert(1)</script>", "\"><img src=x onerror=alert(1)>",
                           "'-alert(1)-'<svg onload=x>", "&lt;b&gt;\x1b[2J"}) {
    const std::string page = report_page(hostile_report(name));
    for (const char* bad : {"<script", "<img", "<svg onload", "\x1b"}) {
      EXPECT_EQ(page.find(bad), std::string::npos) << name << " gives " << bad;
    }
  }
}

TEST(ReportPage, LoadsNothingFromElsewhere) {
  const std::string page = report_page(hostile_report("train"));
  for (const char* word : {"http:", "https:", "src=", "href=", "url(", "@import", "<link"}) {
    EXPECT_EQ(page.find(word), std::string::npos) << word;
  }
  EXPECT_NE(page.find("<svg"), std::string::npos);
  EXPECT_NE(page.find("prefers-color-scheme:dark"), std::string::npos);
  EXPECT_NE(page.find("@media print"), std::string::npos);
  EXPECT_NE(page.find("Waste: GPU-hours"), std::string::npos) << "says what waste is";
}

std::size_t bars_in(const std::string& page) {
  const std::size_t begin = page.find("GPU-hours by day");
  const std::string plot = page.substr(begin, page.find("</figure>", begin) - begin);
  std::size_t count = 0;
  for (std::size_t at = plot.find("class=\"bar\""); at != std::string::npos;
       at = plot.find("class=\"bar\"", at + 1)) {
    ++count;
  }
  return count;
}

TEST(ReportPage, EveryDayHasABar) {
  wire::Report report = hostile_report("train");  // Of 23 days and a part of one.
  report.days = {{.day = "2023-11-20", .gpu_seconds = 7200}};
  EXPECT_EQ(bars_in(report_page(report)), 25U);
  // One that is kept by month is no single day's.
  report.days = {{.day = "2023-11-01", .month = true, .gpu_seconds = 30 * 3600.0}};
  const std::string page = report_page(report);
  EXPECT_EQ(bars_in(page), 25U);
  EXPECT_NE(page.find("2023-11-15: 1.0 GPU-hours"), std::string::npos) << page;
}

TEST(ReportPage, OfNothingIsASentence) {
  EXPECT_NE(report_page({.by = "user"}).find("Nothing ran."), std::string::npos);
}

}  // namespace
}  // namespace gpusched::cli
