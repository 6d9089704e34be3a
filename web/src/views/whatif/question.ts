// What is asked of the past: kept in the address, so that a question can be sent to somebody else.
import type { WhatIfRequest } from '../../api/whatif';
import { hrefOf } from '../../app/route';

export interface Question {
  days: number;
  // Sizes of the cards that would be there too: "24G".
  add: string[];
  remove: number[];
  policy: string;
  cap: number | null;
  without: string;
  // All jobs of this tenant with this priority.
  raise: string;
  priority: number | null;
}
export const kDays = [1, 3, 7, 14, 30];
export const kPolicies = ['default', 'timeshare', 'fifo-strict', 'fifo-greedy', 'sjf', 'srtf', 'srsf', 'las', 'easy'] as const;
export type Policy = (typeof kPolicies)[number];
export const kNothing: Question = { days: 14, add: [], remove: [], policy: 'default', cap: null, without: '', raise: '', priority: null };
const kCardsMost = 16;

export function isCardSize(text: string): boolean {
  return /^[1-9]\d{0,3}G$/.test(text);
}
function wholeOf(text: string | null, least: number, most: number): number | null {
  const value = Number(text);
  return text && Number.isInteger(value) && value >= least && value <= most ? value : null;
}
// A question from an address that may have been written by anybody: what makes no sense is left out.
export function readQuestion(query: URLSearchParams): Question {
  const days = Number(query.get('days'));
  const policy = query.get('policy') ?? 'default';
  const raise = (query.get('of') ?? '').slice(0, 255);
  const priority = wholeOf(query.get('priority'), 0, 100);
  return {
    days: kDays.includes(days) ? days : kNothing.days,
    add: (query.get('add') ?? '').split(',').filter(isCardSize).slice(0, kCardsMost),
    remove: [...new Set((query.get('remove') ?? '').split(',').filter((text) => /^\d{1,4}$/.test(text)).map(Number))],
    policy: (kPolicies as readonly string[]).includes(policy) ? policy : 'default',
    cap: wholeOf(query.get('cap'), 50, 100),
    without: (query.get('without') ?? '').slice(0, 255),
    // One of them alone says nothing yet, but is kept while the other is chosen.
    raise,
    priority,
  };
}
export function hrefOfQuestion(question: Question): string {
  return hrefOf('whatif', {
    days: question.days === kNothing.days ? undefined : question.days,
    add: question.add.join(',') || undefined,
    remove: question.remove.join(',') || undefined,
    policy: question.policy === 'default' ? undefined : question.policy,
    cap: question.cap ?? undefined,
    without: question.without || undefined,
    of: question.raise || undefined,
    priority: question.priority ?? undefined,
  });
}
export function requestOf(question: Question): WhatIfRequest {
  const request: WhatIfRequest = { since_s: question.days * 86_400 };
  if (question.add.length) request.add_cards = question.add;
  if (question.remove.length) request.remove_cards = question.remove;
  if (question.policy !== 'default') request.policy = question.policy;
  if (question.cap !== null) request.cap_percent = question.cap;
  if (question.without) request.without_tenant = question.without;
  if (question.raise && question.priority !== null) request.priority_of = { [question.raise]: question.priority };
  return request;
}
export function changesNothing(question: Question): boolean {
  return !question.add.length && !question.remove.length && question.policy === 'default' && question.cap === null && !question.without && !(question.raise && question.priority !== null);
}
