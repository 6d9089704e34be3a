// Which rows are selected: one by one, a range with Shift, or all that match.
import { useState } from 'preact/hooks';
import { selectorOf } from '../../api/jobs';
import { type Filters, queryOf } from './filters';
import type { Selected } from './ManyActions';
import { type Line, keyOf } from './lines';

const kSweepStates = { held: 'held', queued: 'queued', starting: 'starting', running: 'running', paused: 'paused', completed: 'completed', failed: 'failed', cancelled: 'cancelled' };

export interface Selection {
  has: (line: Line) => boolean;
  toggle: (line: Line, range: boolean) => void;
  loaded: 'none' | 'some' | 'all';
  takeLoaded: () => void;
  takeAll: () => void;
  clear: () => void;
  selected: Selected | null;
}

export function useSelection(lines: Line[], filters: Filters): Selection {
  const [chosen, setChosen] = useState<Map<string, Line>>(new Map());
  const [all, setAll] = useState(false);
  const [last, setLast] = useState<string | null>(null);
  const keep = (next: Map<string, Line>) => {
    setAll(false);
    setChosen(next);
  };
  const toggle = (line: Line, range: boolean) => {
    const key = keyOf(line);
    const from = range && last !== null ? lines.findIndex((one) => keyOf(one) === last) : -1;
    const to = lines.findIndex((one) => keyOf(one) === key);
    setAll(false);
    setLast(key);
    setChosen((before) => {
      const next = new Map(before);
      if (from >= 0 && to >= 0) {
        for (const one of lines.slice(Math.min(from, to), Math.max(from, to) + 1)) next.set(keyOf(one), one);
      } else if (!next.delete(key)) {
        next.set(key, line);
      }
      return next;
    });
  };
  const clear = () => keep(new Map());
  const takeLoaded = () => keep(chosen.size > 0 ? new Map() : new Map(lines.map((one) => [keyOf(one), one])));
  const base = { has: (line: Line) => all || chosen.has(keyOf(line)), toggle, takeLoaded, takeAll: () => setAll(true), clear };
  const loaded = all || (lines.length > 0 && chosen.size >= lines.length) ? 'all' : chosen.size > 0 ? 'some' : 'none';
  if (all) return { ...base, loaded, selected: { count: null, selector: 'all', query: queryOf(filters), states: null } };
  if (chosen.size === 0) return { ...base, loaded, selected: null };
  return { ...base, loaded, selected: selectedOf(lines, chosen) };
}

function selectedOf(lines: Line[], chosen: Map<string, Line>): Selected {
  // As the rows are now, not as they were when they were selected.
  const now = new Map(lines.map((one) => [keyOf(one), one]));
  const ids: number[] = [];
  const states = new Set<string>();
  for (const [key, before] of chosen) {
    const line = now.get(key) ?? before;
    if (line.kind === 'job') {
      ids.push(line.id);
      states.add(line.job.state);
      continue;
    }
    for (let id = line.sweep.first; id <= line.sweep.last; id += 1) ids.push(id);
    const counts = line.sweep.counts as unknown as Record<string, number | undefined>;
    for (const state of Object.values(kSweepStates)) if ((counts[state] ?? 0) > 0) states.add(state);
  }
  return { count: ids.length, selector: selectorOf(ids), states };
}
