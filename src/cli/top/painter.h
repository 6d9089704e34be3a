// The terminal under `top`: draws a Screen and hands out keys, through ncurses. The terminal is put
// back when this goes out of scope. Only painter.cc and terminfo.cc know ncurses.
#pragma once

#include <optional>

#include "base/result.h"
#include "cli/top/keys.h"
#include "cli/top/view.h"

namespace gpusched::cli::top {

class Painter {
 public:
  // kUnsupported with one sentence where nothing can be drawn: no terminal, or one without a
  // cursor.
  static Result<Painter> open(bool colour);
  ~Painter();
  Painter(Painter&& other) noexcept;
  Painter& operator=(Painter&&) = delete;

  ScreenSize size() const;
  // The terminal has another size now.
  void resize();
  void draw(const Screen& screen);
  // The next key that was pressed, if any; never waits.
  std::optional<Key> key();

 private:
  Painter(bool colour, bool utf8);
  void put(const ScreenLine& line, int row);

  bool open_ = true;
  bool colour_ = false;
  bool utf8_ = true;  // Else ASCII stands in.
};

}  // namespace gpusched::cli::top
