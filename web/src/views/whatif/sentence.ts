// What came out of a replay, in sentences. Two replays are compared, with and without the change,
// because both are wrong in the same way.
import type { WhatIfAnswer, WhatIfFigures } from '../../api/whatif';
import { amount, durationFine } from '../../words/figures';
import { defineWords, wordsNow } from '../../words/words';
import type { Question } from './question';

const words = defineWords(
  {
    more: (count: number, size: string) => (count === 1 ? `with one more card of ${size}` : `with ${amount(count)} more cards of ${size}`),
    less: (cards: string, count: number) => (count === 1 ? `without card ${cards}` : `without the cards ${cards}`),
    policy: (name: string) => `in the order “${name}”`,
    cap: (percent: number) => `with sharing up to ${percent} %`,
    without: (tenant: string) => `without the jobs of ${tenant}`,
    priority: (tenant: string, priority: number) => `with priority ${priority} for ${tenant}`,
    unchanged: 'without any change',
    and: ' and ',
    comma: ', ',
    list: ', ',
    falls: (change: string, from: string, to: string) => `${change} the average wait falls from ${from} to ${to}.`,
    rises: (change: string, from: string, to: string) => `${change} the average wait rises from ${from} to ${to}.`,
    stays: (change: string, at: string) => `${change} the average wait stays at ${at}.`,
    replayed: (was: string, is: string) => `Jobs waited ${was} on average; the replay without any change says ${is}.`,
    tail: (from: string, to: string) => `Of ten jobs nine wait at most ${to} instead of ${from}.`,
    tailStays: (at: string) => `Of ten jobs nine wait at most ${at}, as before.`,
  },
  {
    more: (count: number, size: string) => (count === 1 ? `增加一张 ${size} 的显卡` : `增加 ${amount(count)} 张 ${size} 的显卡`),
    less: (cards: string) => `去掉显卡 ${cards}`,
    policy: (name: string) => `采用“${name}”策略`,
    cap: (percent: number) => `把共享上限设为 ${percent} %`,
    without: (tenant: string) => `排除 ${tenant} 的作业`,
    priority: (tenant: string, priority: number) => `将 ${tenant} 的优先级设为 ${priority}`,
    unchanged: '不作任何改动',
    and: '并',
    comma: '，',
    list: '、',
    falls: (change: string, from: string, to: string) => `如果${change}，平均等待时间将从 ${from}降至 ${to}。`,
    rises: (change: string, from: string, to: string) => `如果${change}，平均等待时间将从 ${from}升至 ${to}。`,
    stays: (change: string, at: string) => `如果${change}，平均等待时间仍为 ${at}。`,
    replayed: (was: string, is: string) => `作业实际平均等待 ${was}；不作改动的重放得出 ${is}。`,
    tail: (from: string, to: string) => `90 % 的作业等待不超过 ${to}，原为 ${from}。`,
    tailStays: (at: string) => `90 % 的作业等待仍不超过 ${at}。`,
  },
);

export function sizeText(size: string): string {
  return size.replace(/^(\d+)G$/, '$1 GiB');
}

// "with one more card of 24 GiB and without card 1"
export function changeText(question: Question): string {
  const w = wordsNow(words);
  const counts = new Map<string, number>();
  for (const size of question.add) counts.set(size, (counts.get(size) ?? 0) + 1);
  const parts = [...counts].map(([size, count]) => w.more(count, sizeText(size)));
  if (question.remove.length) parts.push(w.less([...question.remove].sort((a, b) => a - b).join(w.list), question.remove.length));
  if (question.policy !== 'default') parts.push(w.policy(question.policy));
  if (question.cap !== null) parts.push(w.cap(question.cap));
  if (question.without) parts.push(w.without(question.without));
  if (question.raise && question.priority !== null) parts.push(w.priority(question.raise, question.priority));
  if (!parts.length) return w.unchanged;
  const last = parts.pop() ?? '';
  return parts.length ? `${parts.join(w.comma)}${w.and}${last}` : last;
}
function begun(sentence: string): string {
  return sentence.charAt(0).toUpperCase() + sentence.slice(1);
}

// Durations that read the same are the same to a reader.
export function headline(question: Question, answer: WhatIfAnswer, nothing: boolean): string {
  const w = wordsNow(words);
  const before = durationFine(answer.as_configured.average_wait_s);
  const after = durationFine(answer.would.average_wait_s);
  if (nothing) return w.replayed(durationFine(answer.was.average_wait_s), before);
  const change = changeText(question);
  if (before === after) return begun(w.stays(change, after));
  const sentence = answer.would.average_wait_s < answer.as_configured.average_wait_s ? w.falls : w.rises;
  return begun(sentence(change, before, after));
}
export function tailSentence(before: WhatIfFigures, after: WhatIfFigures): string {
  const w = wordsNow(words);
  const [from, to] = [durationFine(before.p90_wait_s), durationFine(after.p90_wait_s)];
  return from === to ? w.tailStays(to) : w.tail(from, to);
}
// Whether the replay of what was is so far from what was that a reader has to know.
export function isFarOff(was: WhatIfFigures, replayed: WhatIfFigures): boolean {
  const apart = Math.abs(was.average_wait_s - replayed.average_wait_s);
  return apart > 120 && apart > 0.3 * Math.max(was.average_wait_s, replayed.average_wait_s);
}
