import { describe, expect, it } from 'vitest';
import { type ServerEvent, sseReader } from './sse';

function read(...pieces: string[]): ServerEvent[] {
  const heard: ServerEvent[] = [];
  const take = sseReader((one) => heard.push(one));
  for (const piece of pieces) take(piece);
  return heard;
}

describe('server-sent events', () => {
  it('come whole, however the text was cut', () => {
    const text = 'event: job\nid: 7\ndata: {"id":1}\n\n: alive\n\nevent: gone\ndata: {"id":2}\n\n';
    const whole = [
      { event: 'job', id: '7', data: '{"id":1}' },
      { event: 'gone', id: '', data: '{"id":2}' },
    ];
    expect(read(text)).toEqual(whole);
    expect(read(...text)).toEqual(whole);
  });
  it('may have ends of lines of the other kind, and several lines of data', () => {
    expect(read('data: a\r\ndata:b\r\n\r\n')).toEqual([{ event: 'message', id: '', data: 'a\nb' }]);
  });
  it('are not told before their end, nor without data', () => {
    expect(read('event: job\ndata: {}\n')).toEqual([]);
    expect(read('event: job\n\n')).toEqual([]);
  });
});
