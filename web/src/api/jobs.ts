// What the job views ask for and how they name jobs to the daemon.
import type { Job } from './client';

export type State = Job['state'];

export const kEnded: readonly State[] = ['completed', 'failed', 'cancelled'];
export const kWaiting: readonly State[] = ['held', 'queued'];
export const kActive: readonly State[] = ['starting', 'running', 'pausing', 'paused', 'resuming'];
export const kStates: readonly State[] = [...kWaiting, ...kActive, ...kEnded];

// The states that a word of a filter means: also active, waiting and ended.
export function statesOf(words: string): Set<State> {
  const found = new Set<State>();
  for (const word of words.split(',')) {
    const group = word === 'active' ? kActive : word === 'waiting' ? kWaiting : word === 'ended' ? kEnded : null;
    if (group) group.forEach((one) => found.add(one));
    else if ((kStates as readonly string[]).includes(word)) found.add(word as State);
  }
  return found;
}

// 7, 8, 9, 12 is "7-9,12": thousands of selected jobs fit into an address.
export function selectorOf(ids: Iterable<number>): string {
  const sorted = [...new Set(ids)].sort((a, b) => a - b);
  const pieces: string[] = [];
  for (let i = 0; i < sorted.length; ) {
    let k = i;
    while (k + 1 < sorted.length && sorted[k + 1] === (sorted[k] as number) + 1) k += 1;
    pieces.push(k === i ? String(sorted[i]) : `${sorted[i]}-${sorted[k]}`);
    i = k + 1;
  }
  return pieces.join(',');
}
