// The buckets of a histogram of waits, in words; those at the end that nobody is in are left out.
import type { WhatIfAnswer } from '../../api/whatif';
import { duration } from '../../words/figures';
import { wordsNow } from '../../words/words';
import { words } from './words';

export interface Bucket {
  name: string;
  before: number;
  after: number;
}
export function bucketsOf(waits: WhatIfAnswer['waits']): Bucket[] {
  const w = wordsNow(words);
  const { edges_s: edges } = waits;
  const all = edges.map((from, index) => {
    const to = edges[index + 1];
    const name = to === undefined ? w.over(duration(from)) : from <= 0 ? w.under(duration(to)) : w.between(duration(from), duration(to));
    return { name, before: waits.as_configured[index] ?? 0, after: waits.would[index] ?? 0 };
  });
  while (all.length > 1) {
    const last = all[all.length - 1];
    if (!last || last.before > 0 || last.after > 0) break;
    all.pop();
  }
  return all;
}
