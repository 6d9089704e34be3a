#include "cli/top/painter.h"

#include <curses.h>
#include <fmt/format.h>
#include <langinfo.h>
#include <unistd.h>

#include <array>
#include <clocale>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "cli/terminal.h"
#include "cli/top/gauges.h"
#include "cli/top/terminfo.h"

namespace gpusched::cli::top {
namespace {

// After an escape key alone: long enough for the rest of a sequence over a slow line.
constexpr int kEscapeDelayMs = 50;

constexpr short kRedPair = 1, kGreenPair = 2, kYellowPair = 3, kCyanPair = 4;

struct SentKey {
  const char* sequence;
  int code;
};
constexpr std::array kAlsoSent = {SentKey{"\x1b[A", KEY_UP},   SentKey{"\x1b[B", KEY_DOWN},
                                  SentKey{"\x1bOA", KEY_UP},   SentKey{"\x1bOB", KEY_DOWN},
                                  SentKey{"\x1b[H", KEY_HOME}, SentKey{"\x1b[F", KEY_END}};

// Everything of ours is UTF-8 whatever the language is; ncurses asks the locale how to write it.
bool use_utf8() {
  for (const char* name : {"C.UTF-8", "", "en_US.UTF-8"}) {
    if (std::setlocale(LC_CTYPE, name) == nullptr) continue;
    if (std::string_view(::nl_langinfo(CODESET)) == "UTF-8") return true;
  }
  return false;
}

attr_t attributes_of(Style style, bool colour) {
  const auto pair = [&](short number, attr_t otherwise) {
    return colour ? static_cast<attr_t>(COLOR_PAIR(number)) : otherwise;
  };
  switch (style) {
    case Style::kPlain:
      return A_NORMAL;
    case Style::kBold:
      return A_BOLD;
    case Style::kDim:
      return A_DIM;
    case Style::kRed:
      return pair(kRedPair, A_BOLD);
    case Style::kGreen:
      return pair(kGreenPair, A_NORMAL);
    case Style::kYellow:
      return pair(kYellowPair, A_BOLD);
    case Style::kCyan:
      return pair(kCyanPair, A_NORMAL);
  }
  return A_NORMAL;
}

std::string utf8_of(wint_t character) {
  const auto code = static_cast<unsigned>(character);
  const auto byte = [](unsigned value) { return static_cast<char>(value); };
  if (code < 0x80U) return {byte(code)};
  if (code < 0x800U) return {byte(0xC0U | code >> 6U), byte(0x80U | (code & 0x3FU))};
  if (code < 0x10000U) {
    return {byte(0xE0U | code >> 12U), byte(0x80U | (code >> 6U & 0x3FU)),
            byte(0x80U | (code & 0x3FU))};
  }
  return {byte(0xF0U | code >> 18U), byte(0x80U | (code >> 12U & 0x3FU)),
          byte(0x80U | (code >> 6U & 0x3FU)), byte(0x80U | (code & 0x3FU))};
}

Key special_key(wint_t code) {
  switch (code) {
    case KEY_UP:
      return {Key::Kind::kUp};
    case KEY_DOWN:
      return {Key::Kind::kDown};
    case KEY_PPAGE:
      return {Key::Kind::kPageUp};
    case KEY_NPAGE:
      return {Key::Kind::kPageDown};
    case KEY_HOME:
      return {Key::Kind::kHome};
    case KEY_END:
      return {Key::Kind::kEnd};
    case KEY_ENTER:
      return {Key::Kind::kEnter};
    case KEY_BACKSPACE:
    case KEY_DC:
      return {Key::Kind::kBackspace};
    case KEY_F(1):
      return {Key::Kind::kHelp};
    default:
      return {};
  }
}

Key plain_key(wint_t character) {
  switch (character) {
    case '\r':
    case '\n':
      return {Key::Kind::kEnter};
    case '\t':
      return {Key::Kind::kTab};
    case 0x1b:
      return {Key::Kind::kEscape};
    case 0x7f:
    case '\b':
      return {Key::Kind::kBackspace};
    default:
      if (character < ' ') return {};
      return {Key::Kind::kText, utf8_of(character)};
  }
}

}  // namespace

Result<Painter> Painter::open(bool colour) {
  const auto instead = [](const std::string& why) {
    return failure(ErrorCode::kUnsupported,
                   fmt::format("top draws on a whole terminal, and {}; 'gpusched status' and "
                               "'gpusched gpus' print the same once",
                               why));
  };
  if (!is_terminal(STDIN_FILENO) || !is_terminal(STDOUT_FILENO)) return instead("this is none");
  const char* term = std::getenv("TERM");
  const std::string name = term == nullptr ? "" : term;
  if (name.empty()) return instead("TERM does not say what this one can do");
  if (name == "dumb") return instead("TERM=dumb means one that cannot move its cursor");
  const bool utf8 = use_utf8();
  if (!is_known_terminal(term) || ::newterm(nullptr, stdout, stdin) == nullptr) {
    return instead(fmt::format("nothing is known here about one called '{}'", name));
  }
  return Painter(colour, utf8);
}

Painter::Painter(bool colour, bool utf8) : utf8_(utf8) {
  ::cbreak();
  ::noecho();
  ::nonl();
  ::curs_set(0);
  ::keypad(stdscr, TRUE);
  ::nodelay(stdscr, TRUE);
  ::set_escdelay(kEscapeDelayMs);
  // Some terminals, and what stands between, send these whatever mode they were asked for.
  for (const auto& [sequence, code] : kAlsoSent) ::define_key(sequence, code);
  colour_ = colour && ::has_colors() && ::start_color() == OK && ::use_default_colors() == OK;
  if (!colour_) return;
  for (const auto& [pair, ink] :
       {std::pair{kRedPair, COLOR_RED}, std::pair{kGreenPair, COLOR_GREEN},
        std::pair{kYellowPair, COLOR_YELLOW}, std::pair{kCyanPair, COLOR_CYAN}}) {
    ::init_pair(pair, static_cast<short>(ink), -1);
  }
}

Painter::Painter(Painter&& other) noexcept
    : open_(std::exchange(other.open_, false)), colour_(other.colour_), utf8_(other.utf8_) {}

Painter::~Painter() {
  if (open_) ::endwin();
}

ScreenSize Painter::size() const {
  return {static_cast<std::size_t>(std::max(LINES, 0)),
          static_cast<std::size_t>(std::max(COLS, 0))};
}

void Painter::resize() {
  const TerminalSize now = terminal_size(STDOUT_FILENO).value_or(TerminalSize{});
  ::resizeterm(std::max(now.rows, 1), std::max(now.columns, 1));
}

void Painter::put(const ScreenLine& line, int row) {
  attr_t base = A_NORMAL;
  if (line.look == ScreenLine::Look::kHeading) base = A_UNDERLINE;
  if (line.look == ScreenLine::Look::kSelected) base = A_REVERSE;
  int column = 0;
  if (base != A_NORMAL) {  // To the end of the line, so that it is seen as one.
    ::attrset(static_cast<int>(base));
    ::mvhline(row, 0, ' ' | base, COLS);
  }
  for (const Cell& piece : line.pieces) {
    const std::string text = utf8_ ? piece.text : in_ascii(piece.text);
    // Dim or coloured letters are hard to read on a line that is turned over.
    const bool plain = line.look == ScreenLine::Look::kSelected;
    ::attrset(static_cast<int>(base | (plain ? A_NORMAL : attributes_of(piece.style, colour_))));
    ::mvaddstr(row, column, text.c_str());
    column += static_cast<int>(display_width(text));
  }
  ::attrset(A_NORMAL);
}

void Painter::draw(const Screen& screen) {
  ::erase();
  int row = 0;
  for (const ScreenLine& line : screen.lines) put(line, row++);
  ::curs_set(screen.cursor_in_last ? 1 : 0);
  if (screen.cursor_in_last) ::move(row - 1, static_cast<int>(*screen.cursor_in_last));
  ::refresh();
}

std::optional<Key> Painter::key() {
  wint_t character = 0;
  switch (::get_wch(&character)) {
    case KEY_CODE_YES:
      return special_key(character);
    case OK:
      return plain_key(character);
    default:
      return std::nullopt;
  }
}

}  // namespace gpusched::cli::top
