"""What a terminal shows after the bytes that a full-screen program has written: text by rows.

Knows what ncurses uses on xterm: moving, erasing, inserting, repeating and scrolling regions.
"""

import re
import unicodedata

SEQUENCE = re.compile(r"\x1b\[([?>]?)([\d;]*)([@-~])|\x1b[()][0-9A-Za-z]|\x1b([78=>McDE])")


def columns_of(character):
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


class TerminalScreen:
    def __init__(self, rows=24, columns=80):
        self.modes = set()
        self._rest = b""
        self._last = " "
        self.resize(rows, columns)

    def resize(self, rows, columns):
        self.rows, self.columns = rows, columns
        self.cells = [[" "] * columns for _ in range(rows)]
        self.row = self.column = 0
        self.top, self.bottom = 0, rows - 1

    def text(self):
        return "\n".join("".join(row).rstrip() for row in self.cells)

    def feed(self, data):
        data = self._rest + data
        # An incomplete character or sequence waits for its end.
        cut = max(data.rfind(b"\x1b", -16), 0)
        whole = len(data)
        if cut and not SEQUENCE.match(data[cut:].decode("utf-8", "replace")):
            whole = cut
        text = data[:whole]
        for back in range(1, min(4, len(text)) + 1):
            if text[-back] >= 0xC0:
                length = 2 if text[-back] < 0xE0 else 3 if text[-back] < 0xF0 else 4
                whole -= back if back < length else 0
                break
            if text[-back] < 0x80:
                break
        self._rest = data[whole:]
        self._take(data[:whole].decode("utf-8", "replace"))

    def _take(self, text):
        at = 0
        while at < len(text):
            found = SEQUENCE.match(text, at)
            if found:
                at = found.end()
                self._sequence(found)
                continue
            self._character(text[at])
            at += 1

    def _character(self, character):
        if character == "\r":
            self.column = 0
        elif character == "\n":
            self._down()
        elif character == "\b":
            self.column = max(self.column - 1, 0)
        elif character == "\t":
            self.column = min(self.column // 8 * 8 + 8, self.columns - 1)
        elif character >= " ":
            self._put(character)

    def _put(self, character):
        width = columns_of(character)
        if width == 0:
            return
        if self.column + width > self.columns:
            self.column = 0
            self._down()
        self.cells[self.row][self.column] = self._last = character
        if width == 2:
            self.cells[self.row][self.column + 1] = ""
        self.column += width

    def _down(self):
        if self.row == self.bottom:
            del self.cells[self.top]
            self.cells.insert(self.bottom, [" "] * self.columns)
        else:
            self.row = min(self.row + 1, self.rows - 1)

    def _up(self):
        if self.row == self.top:
            del self.cells[self.bottom]
            self.cells.insert(self.top, [" "] * self.columns)
        else:
            self.row = max(self.row - 1, 0)

    def _sequence(self, found):
        private, numbers, final, single = found.groups()
        if single == "M":
            self._up()
        if final is None:
            return
        values = [int(n) if n else 0 for n in numbers.split(";")]
        if private:
            if final in "hl":
                (self.modes.add if final == "h" else self.modes.discard)(values[0])
            return
        self._move(final, values) or self._change(final, values)

    def _move(self, final, values):
        count = max(values[0], 1)
        if final == "H":
            self.row = min(count, self.rows) - 1
            self.column = min(max(values[1] if len(values) > 1 else 1, 1), self.columns) - 1
        elif final == "d":
            self.row = min(count, self.rows) - 1
        elif final == "G":
            self.column = min(count, self.columns) - 1
        elif final == "A":
            self.row = max(self.row - count, 0)
        elif final == "B":
            self.row = min(self.row + count, self.rows - 1)
        elif final == "C":
            self.column = min(self.column + count, self.columns - 1)
        elif final == "D":
            self.column = max(self.column - count, 0)
        else:
            return False
        return True

    def _change(self, final, values):
        count, row = max(values[0], 1), self.cells[self.row]
        if final == "J":
            first = 0 if values[0] == 2 else self.row + 1
            if values[0] != 2:
                row[self.column:] = [" "] * (self.columns - self.column)
            for below in range(first, self.rows):
                self.cells[below] = [" "] * self.columns
        elif final == "K":
            begin, end = {0: (self.column, self.columns), 1: (0, self.column + 1)}.get(
                values[0], (0, self.columns))
            row[begin:end] = [" "] * (end - begin)
        elif final == "X":
            end = min(self.column + count, self.columns)
            row[self.column:end] = [" "] * (end - self.column)
        elif final == "P":
            del row[self.column:self.column + count]
            row.extend([" "] * (self.columns - len(row)))
        elif final == "@":
            row[self.column:self.column] = [" "] * count
            del row[self.columns:]
        elif final in "LM":
            for _ in range(count):
                gone, new = (self.bottom, self.row) if final == "L" else (self.row, self.bottom)
                del self.cells[gone]
                self.cells.insert(new, [" "] * self.columns)
        elif final == "b":
            for _ in range(count):
                self._put(self._last)
        elif final == "r":
            self.top = count - 1
            self.bottom = (values[1] if len(values) > 1 and values[1] else self.rows) - 1
            self.row = self.column = 0
