// Cards that somebody looks at, in virtual time: foreign processes come, compute and go; looks that
// were asked for come late or never; cards stop answering. It remembers what it told, and so knows
// whether a start was decided on it.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/model/event.h"
#include "core/model/job.h"
#include "core/model/rules.h"

namespace gpusched {

class SimCards {
 public:
  struct Foreign {
    std::uint64_t vram_bytes = 0;
    int load_percent = 0;
    int pid = 0;  // 0: nobody is there.
  };
  struct Jobs {
    // What they have on a card at this moment.
    std::function<std::vector<SeenProcess>(CardNumber)> on_card;
    // A process that was foreign is one of them now, wherever it is.
    std::function<bool(int pid)> adopted;
  };

  // `pick(n)` is a random number below n.
  SimCards(const std::vector<Card>& cards, std::function<int(int)> pick, Jobs jobs);
  // A new daemon listens, and is shown every card.
  void show_all(std::function<void(CardSeen)> sink, Now now);
  // Somebody wants to start something there.
  void look_now(CardNumber card, Now now);
  // Somebody wants to see what grows there.
  void look_soon(CardNumber card, Now now);
  // The world goes on; what is due is told.
  void advance(Now now);
  // From here on cards answer at once, and nobody else uses them.
  void calm_down(Now now);
  // In calm weather: each card is looked at from time to time.
  void look_around(Now now);
  std::optional<Boot> next_event() const;

  // Who was there by the last look and is no job; nobody: the pid is 0.
  const Foreign& told_foreign(CardNumber card) const { return cards_.at(card).seen; }
  const Foreign& foreign_on(CardNumber card) const { return cards_.at(card).foreign; }
  void end_foreign(int pid);
  void end_all_foreign();

  // Empty: the job was given these cards on what had been told of them.
  std::string why_not(const Grant& grant, const Rules& rules, Now now) const;
  // Jobs that took more memory of a card from one look to the next, and what they have by now.
  struct Grown {
    AttemptId attempt{};
    std::uint64_t vram_bytes = 0;
  };
  std::vector<Grown> grown_on(CardNumber card) const;

 private:
  // What a look said of the jobs there.
  struct Shown {
    Boot at{};
    std::map<AttemptId, std::uint64_t> bytes;
  };
  struct One {
    Foreign foreign;
    std::optional<Boot> answers_at;  // A look that was asked for; absent: it never comes.
    Foreign seen;                    // What was told last.
    Boot told{};
    bool asked = false;
    bool on_request = false;  // What was told last was asked for.
    std::optional<Shown> last, before;
  };
  void change(CardNumber card, One& one);
  void tell(CardNumber card, One& one, Now now, bool answers = true);
  bool is_adopted(const Foreign& foreign) const {
    return foreign.pid > 0 && jobs_.adopted(foreign.pid);
  }

  std::function<int(int)> pick_;
  Jobs jobs_;
  std::function<void(CardSeen)> sink_;
  std::map<CardNumber, One> cards_;
  int next_pid_ = 100'000;
  bool calm_ = false;
};

}  // namespace gpusched
