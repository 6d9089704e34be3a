// Requests to the daemon. Everything that a view knows comes through here or through the stream of
// events.
import type { components } from './schema';

export type Schemas = components['schemas'];
export type Job = Schemas['Job'];
export type JobDetails = Schemas['JobDetails'];
export type Card = Schemas['Card'];
export type Sweep = Schemas['Sweep'];
export type Overview = Schemas['Overview'];
export type Counts = Schemas['Counts'];
export type Reason = Schemas['Reason'];
export type Explanation = Schemas['Explanation'];
export type Alarm = Schemas['Alarm'];
export type WhoAmI = Schemas['WhoAmI'];

// What the daemon says when it refuses, or why it was not reached.
export class Refused extends Error {
  constructor(
    readonly code: string,
    message: string,
    readonly status: number,
  ) {
    super(message);
  }
  get unreachable(): boolean {
    return this.status === 0;
  }
  get needsLogin(): boolean {
    return this.status === 401;
  }
}

type Query = Record<string, string | number | boolean | null | undefined>;

export function target(path: string, query: Query = {}): string {
  const words = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined || value === null || value === false || value === '') continue;
    words.set(name, value === true ? '1' : String(value));
  }
  const text = words.toString();
  return text ? `${path}?${text}` : path;
}

async function refusal(answer: Response): Promise<Refused> {
  try {
    const body = (await answer.json()) as { error?: { code?: string; message?: string } };
    if (body.error?.message) return new Refused(body.error.code ?? 'internal', body.error.message, answer.status);
  } catch {
    // Not from the daemon: a proxy says it in HTML.
  }
  return new Refused('internal', `${answer.status} ${answer.statusText}`, answer.status);
}

// Whoever has to log in again is sent there, whatever was asked.
let onLoginNeeded: () => void = () => undefined;
export function whenLoginNeeded(then: () => void): void {
  onLoginNeeded = then;
}

export interface Ask {
  query?: Query;
  signal?: AbortSignal;
  // What makes a change the same change when it is sent again; else each one is another.
  key?: string;
}

export function newKey(): string {
  return crypto.randomUUID?.() ?? `${Date.now()}-${Math.random()}`;
}

export async function send(method: string, path: string, body: unknown, ask: Ask = {}): Promise<Response> {
  const headers: Record<string, string> = { Accept: 'application/json' };
  if (body !== undefined) headers['Content-Type'] = 'application/json';
  // A change that is sent again after a broken connection is done once.
  if (method !== 'GET') headers['Idempotency-Key'] = ask.key ?? newKey();
  let answer: Response;
  try {
    const given = { method, headers, credentials: 'same-origin' as const, signal: ask.signal ?? null };
    answer = await fetch(target(path, ask.query), body === undefined ? given : { ...given, body: JSON.stringify(body) });
  } catch (fault) {
    if (fault instanceof DOMException && fault.name === 'AbortError') throw fault;
    throw new Refused('unreachable', 'The daemon does not answer.', 0);
  }
  if (!answer.ok) {
    const refused = await refusal(answer);
    if (refused.needsLogin) onLoginNeeded();
    throw refused;
  }
  return answer;
}

export async function get<T>(path: string, query: Query = {}, signal?: AbortSignal): Promise<T> {
  return (await (await send('GET', path, undefined, signal ? { query, signal } : { query })).json()) as T;
}
export async function change<T>(method: string, path: string, body?: unknown, query: Query = {}): Promise<T> {
  return (await (await send(method, path, body, { query })).json()) as T;
}
