// What the page knows of the machine now: the answer of /v1/overview, kept fresh by the stream of
// events. Views read it through useMachine and are drawn again at most once a frame.
import { useEffect, useState } from 'preact/hooks';
import { type Alarm, type Card, type Counts, type Job, type Overview, type Sweep, get, Refused } from './client';
import { type StreamNews, follow } from './stream';

export type Link = 'connecting' | 'live' | 'lost';

export interface Machine {
  link: Link;
  // When something was heard last, by this browser's clock; 0: never.
  heardAt: number;
  // Of jobs that have not ended, and the last that have.
  jobs: Map<number, Job>;
  // The ids of those that wait, in the order of the queue, as far as it was asked for.
  waiting: number[];
  recent: number[];
  sweeps: Sweep[];
  counts: Counts | null;
  cards: Card[];
  problems: string[];
  alarms: Alarm[];
  refused: string | null;
}

const kWaitingShown = 200;
const kRefreshEvery = 1000;

let machine: Machine = {
  link: 'connecting',
  heardAt: 0,
  jobs: new Map(),
  waiting: [],
  recent: [],
  sweeps: [],
  counts: null,
  cards: [],
  problems: [],
  alarms: [],
  refused: null,
};
const hearers = new Set<() => void>();
let drawing = 0;
let asking = false;
let askAgain = false;
let stop: (() => void) | null = null;

export function ended(job: Job): boolean {
  return job.state === 'completed' || job.state === 'failed' || job.state === 'cancelled';
}

function tell(next: Partial<Machine>): void {
  machine = { ...machine, ...next };
  if (drawing) return;
  // Pages in the background have no frames; they are told later, all at once.
  drawing = window.requestAnimationFrame(() => {
    drawing = 0;
    for (const hear of hearers) hear();
  });
}

// The whole, at most once a second however much changes.
async function refresh(): Promise<void> {
  if (asking) {
    askAgain = true;
    return;
  }
  asking = true;
  try {
    const now = await get<Overview>('/v1/overview', { waiting: kWaitingShown, sweeps: 1 });
    const jobs = new Map<number, Job>();
    for (const job of [...now.running, ...now.waiting, ...now.recent]) jobs.set(job.id, job);
    tell({
      jobs,
      waiting: now.waiting.map((job) => job.id),
      recent: now.recent.map((job) => job.id),
      sweeps: now.sweeps ?? [],
      counts: now.counts,
      cards: now.cards,
      problems: now.problems,
      heardAt: Date.now(),
      refused: null,
    });
  } catch (fault) {
    if (fault instanceof Refused && !fault.unreachable) tell({ refused: fault.message });
  }
  window.setTimeout(() => {
    asking = false;
    if (askAgain) {
      askAgain = false;
      void refresh();
    }
  }, kRefreshEvery);
}

function take(news: StreamNews): void {
  const heardAt = Date.now();
  switch (news.kind) {
    case 'open':
      tell({ link: 'live', heardAt });
      void refresh();
      return;
    case 'lost':
      tell({ link: 'lost' });
      onBreak(null);
      return;
    case 'bye':
      tell({ link: 'lost' });
      onBreak((news.data as { error?: { message?: string } } | null)?.error?.message ?? null);
      return;
    case 'job': {
      const job = news.data as Job;
      const known = machine.jobs.get(job.id);
      // Of a sweep's jobs the overview has one line; the line is asked for again.
      if (known || job.array === null) machine.jobs.set(job.id, job);
      tell({ heardAt, jobs: new Map(machine.jobs) });
      if (!known || known.state !== job.state || known.priority !== job.priority) void refresh();
      return;
    }
    case 'gone':
      machine.jobs.delete((news.data as { id: number }).id);
      tell({ heardAt, jobs: new Map(machine.jobs) });
      return;
    case 'group':
      void refresh();
      return;
    case 'cards':
      tell({ heardAt, cards: (news.data as { cards: Card[] }).cards });
      return;
    case 'alarms': {
      const alarms = news.data as { problems: string[]; alarms: Alarm[] };
      tell({ heardAt, problems: alarms.problems, alarms: alarms.alarms });
      return;
    }
  }
}

export function watchMachine(): void {
  if (stop) return;
  void refresh();
  stop = follow(take);
}
export function forgetMachine(): void {
  stop?.();
  stop = null;
  tell({ link: 'connecting', heardAt: 0, jobs: new Map(), waiting: [], recent: [], sweeps: [], counts: null, cards: [] });
}
// Told when the stream breaks, with its last words if it had any.
let onBreak: (words: string | null) => void = () => undefined;
export function whenStreamBreaks(then: (words: string | null) => void): void {
  onBreak = then;
}
export function machineNow(): Machine {
  return machine;
}

export function useMachine(): Machine {
  const [, draw] = useState(0);
  useEffect(() => {
    const hear = () => draw((count) => count + 1);
    hearers.add(hear);
    return () => {
      hearers.delete(hear);
    };
  }, []);
  return machine;
}
