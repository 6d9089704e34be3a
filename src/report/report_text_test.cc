#include "report/report_text.h"

#include <gtest/gtest.h>

#include "report/report_figures.h"

namespace gpusched {
namespace {

wire::Report report_of(const std::string& name) {
  wire::Report report{.by = "name"};
  wire::ReportRow row{.name = name, .jobs = {3}, .gpu_seconds = 7200};
  row.waits = wire::ReportWaits{{3}, 100, 90, 200, 300};
  row.failures = {{.cause = "exit", .attempts = {2}}};
  row.cost = 1.5;
  report.rows = {row};
  report.total = row;
  report.total.name.reset();
  report.currency = "EUR";
  report.waited_for = {{.tenant = "ml1", .holder = "", .seconds = 3600}};
  return report;
}

TEST(ReportCsv, WhatASpreadsheetWouldRunIsText) {
  for (const char* name : {"=1+1", "+cmd", "-2", "@sum", "\tx", "\r=1"}) {
    const std::string csv = report_csv(report_of(name));
    const std::string line = csv.substr(csv.find('\n') + 1);
    EXPECT_TRUE(line.starts_with("\"'")) << line;
  }
  EXPECT_NE(report_csv(report_of("=cmd|' /C calc'!A0")).find("\n\"'=cmd|"), std::string::npos);
}

TEST(ReportCsv, QuotesAndLinesStayInsideTheirField) {
  const std::string csv = report_csv(report_of("a\"b,c\nd\x1b[2J"));
  EXPECT_NE(csv.find("\n\"a\"\"b,c\\x0ad\\x1b[2J\","), std::string::npos) << csv;
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 3);
}

TEST(ReportText, HasEverySectionAndSaysWhatTheFiguresMean) {
  const std::string text = report_text(report_of("train\x1b]0;x\x07"));
  for (const char* part : {"GPU-HOURS", "Waiting", "1m 30s", "Failures", "exit 2", "Cost in EUR",
                           "1.50", "Who waited for whom", "(nobody)", "Waiting: from submission"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  }
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
}

TEST(ReportText, OfNothingIsASentence) {
  EXPECT_NE(report_text({.by = "user"}).find("Nothing ran."), std::string::npos);
}

TEST(ReportFigures, NoBytesOfATerminalComeThrough) {
  EXPECT_EQ(harmless_text("a\xc2\x9b"
                          "2J\xc3\xa9"),
            "a\\x9b2J\xc3\xa9");
  EXPECT_EQ(harmless_text("\xff"), "(not UTF-8, 1 bytes)");
}

}  // namespace
}  // namespace gpusched
