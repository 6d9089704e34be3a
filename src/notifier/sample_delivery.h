// A delivery for tests.
#pragma once

#include "wire/notifier_lines.h"

namespace gpusched::notifier {

inline constexpr Wall kSampleTime{Microseconds{1'767'254'400'123'000}};  // 2026-01-01T08:00:00Z

inline Delivery sample_delivery(Channel channel) {
  Delivery d;
  d.id = 7;
  d.receiver.name = "lab";
  d.receiver.channel = channel;
  d.url = "https://hooks.example/services/T000/B000/hush-hush";
  d.secret = "SEC-hush";
  d.machine = "node1";
  d.link = "https://node1.example/jobs/42";
  d.now = kSampleTime + Seconds{60};
  d.message.id = 7;
  d.message.receiver = "lab";
  d.message.notice = {.thread = "temperature/card 0",
                      .severity = Severity::kCritical,
                      .rule = "temperature",
                      .subject = "card 0",
                      .what = "card 0 is at 91 \xC2\xB0\x43, its limit is 87 \xC2\xB0\x43",
                      .whom = "job 42 of ml1, job 43 of ml2",
                      .since = kSampleTime - Seconds{300},
                      .advice = "look at the fans; `gpusched drain 0` takes it out of service",
                      .job = JobId{42},
                      .card = CardNumber{0}};
  d.message.at = kSampleTime;
  d.message.last_at = kSampleTime;
  return d;
}

// Many failures of jobs whose names want to be more than names.
inline Delivery hostile_delivery(Channel channel) {
  Delivery d = sample_delivery(channel);
  Notice& notice = d.message.notice;
  notice = {.thread = "job_failed",
            .severity = Severity::kWarning,
            .rule = "job_failed",
            .subject = "job 42",
            .what =
                "job 42 (<!channel> @all <at user_id=\"all\"></at> <@ml1> *b* [x](https://evil) "
                "`c`\r\nBcc: ml2@evil\x01 \xE2\x80\xAE\xFF) failed",
            .whom = "@here & ml1",
            .advice = "look at its log",
            .job = JobId{42}};
  d.message.times = 10'000;
  d.message.others = {"job 43 (<!here>) failed", "job 44 (@channel) failed"};
  d.message.last_at = kSampleTime + Seconds{30};
  return d;
}

}  // namespace gpusched::notifier
