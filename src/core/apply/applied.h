// What an event or a decision led to: the answer, and what has to be done outside after the commit.
#pragma once

#include <variant>
#include <vector>

#include "core/model/event.h"
#include "core/model/message.h"

namespace gpusched {

struct Launch {
  AttemptId attempt;
};
struct StopAttempt {
  AttemptId attempt;
  Seconds grace{0};
};
struct ChangeTime {
  AttemptId attempt;
};
struct ForgetJob {
  JobId job{};
};
// By its SaveTerms; who does not end within the grace is stopped.
struct AskToSave {
  AttemptId attempt;
};
struct MoveAside {
  AttemptId attempt;
  bool checkpoint = false;
  bool awake = false;  // Not frozen afterwards; REQUIRES: checkpoint.
};
struct BringBack {
  AttemptId attempt;
  bool checkpoint = false;
  bool awake = false;  // As it was left.
};
// Its process is no longer ours to watch over.
struct LetGo {
  AttemptId attempt;
};
// A message is given to whoever delivers it; what became of it comes as an event.
struct SendMessage {
  Message message;
};
// Nobody will get it.
struct MessageLost {
  Message message;
  std::string why;
};
using Effect = std::variant<Launch, StopAttempt, AskToSave, MoveAside, BringBack, LetGo, ChangeTime,
                            ForgetJob, SendMessage, MessageLost>;

struct Applied {
  Answer answer;
  std::vector<Effect> effects;
  // Work that was too much for one turn and goes on in the next.
  std::vector<Event> follow_up;
  // Cards to look at before the decision can be carried out (decide/look_first.h). A look changes
  // nothing, so it need not wait for a commit.
  std::vector<CardNumber> looks = {};
};

}  // namespace gpusched
