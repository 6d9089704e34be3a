#include "metrics/accept.h"

#include <gtest/gtest.h>

#include <string>

namespace gpusched::metrics {
namespace {

TEST(WantedFormat, IsTextForWhoSaysNothing) {
  for (const char* accept :
       {"", "*/*", "text/plain", "text/html,*/*;q=0.8", "text/*", ",;,q=", ";"}) {
    EXPECT_EQ(wanted_format(accept), Format::kText) << accept;
  }
}

TEST(WantedFormat, IsOpenMetricsForWhoWantsThatMost) {
  for (const char* accept :
       {"application/openmetrics-text",
        "Application/OpenMetrics-Text; Version=1.0.0; charset=utf-8",
        "application/openmetrics-text;version=\"1.0.0\"",
        "application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q="
        "0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1",
        "text/plain;q=0.5, application/openmetrics-text;q=0.6",
        "text/plain, application/openmetrics-text"}) {
    EXPECT_EQ(wanted_format(accept), Format::kOpenMetrics) << accept;
  }
}

TEST(WantedFormat, IsNotOneThatIsWantedLessRefusedOrUnknown) {
  for (const char* accept :
       {"text/plain, application/openmetrics-text;q=0.9", "application/openmetrics-text;q=0",
        "application/openmetrics-text;q=0.0, */*", "application/openmetrics-text;q=most",
        "application/openmetrics-text;version=2.0.0,text/plain;q=0.1",
        "application/openmetrics-textual"}) {
    EXPECT_EQ(wanted_format(accept), Format::kText) << accept;
  }
}

}  // namespace
}  // namespace gpusched::metrics
