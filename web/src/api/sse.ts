// Reads server-sent events out of pieces of text, as they come over the line. The browser's own
// EventSource keeps comments to itself, and those are what says that a quiet line is alive.
export interface ServerEvent {
  event: string;
  id: string;
  data: string;
}

// Returns what takes the pieces.
export function sseReader(hear: (one: ServerEvent) => void): (piece: string) => void {
  let rest = '';
  let event = '';
  let id = '';
  let data: string[] = [];
  const line = (text: string) => {
    if (text === '') {
      if (data.length > 0) hear({ event: event || 'message', id, data: data.join('\n') });
      event = '';
      id = '';
      data = [];
      return;
    }
    const colon = text.indexOf(':');
    if (colon === 0) return;
    const name = colon < 0 ? text : text.slice(0, colon);
    const value = colon < 0 ? '' : text.slice(colon + (text[colon + 1] === ' ' ? 2 : 1));
    if (name === 'event') event = value;
    else if (name === 'id') id = value;
    else if (name === 'data') data.push(value);
  };
  return (piece) => {
    // Only what is new is searched for ends of lines: a long line comes in many pieces.
    let from = 0;
    let end = piece.indexOf('\n');
    while (end >= 0) {
      const text = rest + piece.slice(from, end);
      rest = '';
      line(text.endsWith('\r') ? text.slice(0, -1) : text);
      from = end + 1;
      end = piece.indexOf('\n', from);
    }
    rest += piece.slice(from);
  };
}
