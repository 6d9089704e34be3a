// What a program that draws on the whole screen has switched on: who leaves it while it goes on
// gets back the terminal that there was before.
#pragma once

#include <set>
#include <string>
#include <string_view>

namespace gpusched::cli {

class ScreenModes {
 public:
  // What the program writes, in pieces as they come.
  void see(std::string_view bytes);
  // The bytes that switch all of it off again; empty: nothing is on.
  std::string undo() const;

 private:
  void end_of_sequence(bool on);

  std::string numbers_;  // Of a sequence that is not complete: "1049;25".
  enum class At : unsigned char { kText, kEscape, kBracket, kNumbers } at_ = At::kText;
  std::set<int> on_;  // Modes that are off otherwise.
  bool hidden_cursor_ = false;
};

}  // namespace gpusched::cli
