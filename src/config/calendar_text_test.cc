#include "config/calendar_text.h"

#include <gtest/gtest.h>

namespace gpusched {
namespace {

TEST(CalendarText, ReadsDaysHoursAndWhatIsFree) {
  const auto calendar = parse_calendar("fri-mon 9:00-18:30 free 0,left; wed 22:00-6:00 most 2");
  ASSERT_TRUE(calendar) << calendar.error().message;
  ASSERT_EQ(calendar->size(), 2U);
  EXPECT_EQ((*calendar)[0].weekdays, 0b1100011U);
  EXPECT_EQ((*calendar)[0].until, Seconds{18 * 3600 + 1800});
  EXPECT_EQ((*calendar)[0].free.numbers, std::vector{CardNumber{0}});
  EXPECT_EQ((*calendar)[0].free.names, std::vector<std::string>{"left"});
  EXPECT_EQ((*calendar)[1].most, 2);
  const auto again = parse_calendar(calendar_text(*calendar));
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(*again, *calendar);
  EXPECT_TRUE(parse_calendar("")->empty());
}

TEST(CalendarText, SaysWhatIsWrong) {
  for (const char* text : {"monday 9:00-10:00 free 0", "mon 9-10 free 0", "mon 9:00-25:00 free 0",
                           "mon 9:00-9:00 free 0", "mon 9:00-10:00 keep 0", "mon 9:00-10:00 free",
                           "mon 9:00-10:00 most many", "mon 9:00-10:00 free ,"}) {
    EXPECT_FALSE(parse_calendar(text)) << text;
  }
}

}  // namespace
}  // namespace gpusched
