// What the page knows of the machine now: the answer of /v1/overview, kept fresh by the stream of
// events. Views read it through useMachine and are drawn again at most once a frame.
import { useEffect, useState } from 'preact/hooks';
import { type Alarm, type Card, type Counts, type Job, type Overview, type Schemas, type Sweep, get, Refused } from './client';
import { type Happening, cardHappenings, happeningOf, withHappenings } from './happenings';
import { type QueueRow, queueOf, waits, withNewJob, withoutJob } from './queue';
import { type Following, type StreamNews, follow } from './stream';

export type Link = 'connecting' | 'live' | 'lost';

export interface Machine {
  link: Link;
  // When something was heard last, by this browser's clock; 0: never.
  heardAt: number;
  // Of jobs that have not ended, and the last that have. The same map all the time: `changes` says
  // that something in it is new.
  jobs: Map<number, Job>;
  changes: number;
  // The ids of those that wait, in the order of the queue, as far as it was asked for.
  waiting: number[];
  // The same with each sweep as one row.
  queue: QueueRow[];
  recent: number[];
  sweeps: Sweep[];
  counts: Counts | null;
  cards: Card[];
  // Cards fewer than the configuration says there are.
  missing: number;
  problems: string[];
  alarms: Alarm[];
  happenings: Happening[];
  refused: string | null;
}

const kWaitingShown = 120;
const kRefreshEvery = 1000;
// Reasons and estimates change without an event.
const kRefreshAnyway = 15_000;
const kStale = 30_000;
const kDrawEvery = 60;

const kNothing: Machine = {
  link: 'connecting',
  heardAt: 0,
  jobs: new Map(),
  changes: 0,
  waiting: [],
  queue: [],
  recent: [],
  sweeps: [],
  counts: null,
  cards: [],
  missing: 0,
  problems: [],
  alarms: [],
  happenings: [],
  refused: null,
};
let machine: Machine = { ...kNothing };
const hearers = new Set<() => void>();
let drawing = 0;
let drawnAt = 0;
let asking = false;
let askAgain = false;
let stop: (() => void) | null = null;
let following: Following | null = null;
// Happenings are put into their order once a frame, however many come.
let fresh: Happening[] = [];
// Rows that came while the whole was asked for: they are newer than its answer.
const meanwhile = new Map<number, Job>();

export function ended(job: Job): boolean {
  return job.state === 'completed' || job.state === 'failed' || job.state === 'cancelled';
}
// Whether what is shown is older than it looks.
export function isStale(now: Machine, at = Date.now()): boolean {
  return now.heardAt > 0 && (now.link === 'lost' || at - now.heardAt > kStale);
}

function tell(next: Partial<Machine>): void {
  machine = { ...machine, ...next };
  if (drawing) return;
  // The first change is drawn with the next frame; many in a row a few times a second.
  const soon = drawnAt + kDrawEvery - performance.now();
  drawing = soon > 0 ? window.setTimeout(later, soon) : later();
}
// Pages in the background have no frames; they are told later, all at once.
function later(): number {
  drawing = window.requestAnimationFrame(() => {
    drawing = 0;
    drawnAt = performance.now();
    if (fresh.length > 0) {
      machine = { ...machine, happenings: withHappenings(machine.happenings, fresh) };
      fresh = [];
    }
    for (const hear of hearers) hear();
  });
  return drawing;
}
function happened(one: Happening | null): void {
  if (one) fresh.push(one);
}

// Cards of the overview come without figures and processes: those of the stream stay.
export function withFigures(cards: Card[], known: Card[]): Card[] {
  const before = new Map(known.map((card) => [card.uuid, card]));
  return cards.map((card) => {
    const old = before.get(card.uuid);
    if (card.sample || !old) return card;
    const { sample, sampled_at, processes, aside } = old;
    return { ...(sample && { sample }), ...(sampled_at && { sampled_at }), ...(processes && { processes }), ...(aside && { aside }), ...card };
  });
}

async function ask(): Promise<void> {
  meanwhile.clear();
  const [folded, plain] = await Promise.all([
    get<Overview>('/v1/overview', { waiting: kWaitingShown, sweeps: 1 }),
    get<Overview>('/v1/overview', { waiting: kWaitingShown }),
  ]);
  const now = Date.now();
  const jobs = new Map<number, Job>();
  for (const job of [...folded.waiting, ...folded.recent, ...plain.running, ...plain.waiting, ...plain.recent]) {
    // What stood in no list is not new for that: a job further behind in the queue moves up.
    if (!waits(job) || machine.jobs.has(job.id)) happened(happeningOf(machine.jobs.get(job.id), job, now));
    jobs.set(job.id, job);
  }
  let queue = queueOf(plain.waiting, folded.waiting, folded.sweeps ?? []);
  for (const job of meanwhile.values()) {
    jobs.set(job.id, job);
    if (!waits(job)) queue = withoutJob(queue, job.id);
    else if (job.array === null) queue = withNewJob(queue, job);
  }
  tell({
    jobs,
    changes: machine.changes + 1,
    waiting: plain.waiting.map((job) => job.id),
    queue,
    recent: plain.recent.map((job) => job.id),
    sweeps: folded.sweeps ?? [],
    counts: plain.counts,
    cards: withFigures(plain.cards, machine.cards),
    problems: plain.problems,
    heardAt: now,
    refused: null,
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
    await ask();
  } catch (fault) {
    // Also a proxy that stands before a daemon that is gone answers, with a 5xx of its own.
    if (fault instanceof Refused && fault.status !== 503 && (fault.unreachable || fault.status >= 500)) following?.doubt();
    else if (fault instanceof Refused) {
      tell({ refused: fault.message });
      askAgain = !fault.needsLogin;
    }
  }
  window.setTimeout(() => {
    asking = false;
    if (askAgain) {
      askAgain = false;
      void refresh();
    }
  }, kRefreshEvery);
}

function takeJob(job: Job, heardAt: number): void {
  const known = machine.jobs.get(job.id);
  happened(happeningOf(known, job, heardAt));
  machine.jobs.set(job.id, job);
  if (asking) meanwhile.set(job.id, job);
  const next: Partial<Machine> = { heardAt, changes: machine.changes + 1 };
  // Until the daemon has said how the queue stands now.
  if (waits(job) && job.array === null && !(known && waits(known))) next.queue = withNewJob(machine.queue, job);
  else if (!waits(job) && (!known || waits(known))) next.queue = withoutJob(machine.queue, job.id);
  tell(next);
  if (!known || known.state !== job.state || known.priority !== job.priority) void refresh();
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
    case 'alive':
      tell({ heardAt, link: 'live' });
      return;
    case 'job':
      takeJob(news.data as Job, heardAt);
      return;
    case 'gone':
      machine.jobs.delete((news.data as { id: number }).id);
      tell({ heardAt, changes: machine.changes + 1 });
      return;
    case 'group':
      void refresh();
      return;
    case 'cards': {
      const { cards, missing } = news.data as Schemas['Cards'];
      for (const one of cardHappenings(machine.cards, cards, heardAt)) happened(one);
      tell({ heardAt, cards, missing });
      return;
    }
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
  following = follow(take);
  const look = () => {
    if (document.visibilityState === 'visible' && machine.link === 'live') void refresh();
  };
  const timer = window.setInterval(look, kRefreshAnyway);
  document.addEventListener('visibilitychange', look);
  stop = () => {
    following?.end();
    following = null;
    window.clearInterval(timer);
    document.removeEventListener('visibilitychange', look);
  };
}
export function forgetMachine(): void {
  stop?.();
  stop = null;
  fresh = [];
  tell({ ...kNothing, jobs: new Map() });
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
