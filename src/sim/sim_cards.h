// Cards that somebody looks at, in virtual time: foreign processes come, compute and go; looks that
// were asked for come late or never; cards stop answering. It remembers what it told, and so knows
// whether a start was decided on it.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/event.h"
#include "core/job.h"
#include "core/rules.h"

namespace gpusched {

class SimCards {
 public:
  // `pick(n)` is a random number below n.
  SimCards(const std::vector<Card>& cards, std::function<int(int)> pick);
  // A new daemon listens, and is shown every card.
  void show_all(std::function<void(CardSeen)> sink, Now now);
  // Somebody wants to start something there.
  void look_now(CardNumber card, Now now);
  // The world goes on; what is due is told.
  void advance(Now now);
  // From here on cards answer at once, and nobody else uses them.
  void calm_down(Now now);
  std::optional<Boot> next_event() const;

  // Empty: the job was given these cards on what had been told of them.
  std::string why_not(const Grant& grant, const Rules& rules, Now now) const;

 private:
  struct Foreign {
    std::uint64_t vram_bytes = 0;
    int load_percent = 0;
    int pid = 0;
  };
  struct One {
    Foreign foreign;
    std::optional<Boot> answers_at;  // A look that was asked for; absent: it never comes.
    Foreign seen;                    // What was told last.
    Boot told{};
    bool asked = false;
    bool on_request = false;  // What was told last was asked for.
  };
  void change(One& one);
  void tell(CardNumber card, One& one, Now now, bool answers = true);

  std::function<int(int)> pick_;
  std::function<void(CardSeen)> sink_;
  std::map<CardNumber, One> cards_;
  int next_pid_ = 100'000;
  bool calm_ = false;
};

}  // namespace gpusched
