// Pieces of a log from the daemon.
import { Refused, get, send } from '../../../api/client';

export interface LogName {
  job: number;
  attempt: number;
  stream: 'output' | 'error';
}
export interface Piece {
  bytes: Uint8Array;
  offset: number;
  // How long the log is.
  size: number;
}
export const kPiece = 256 << 10;

function number(answer: Response, name: string): number | null {
  const text = answer.headers.get(name);
  return text === null ? null : Number(text);
}
function queryOf(name: LogName): Record<string, string | number> {
  return { attempt: name.attempt, stream: name.stream };
}
export function pathOf(name: LogName): string {
  return `/v1/jobs/${name.job}/log`;
}

async function upTo(answer: Response, most: number): Promise<Uint8Array> {
  const reader = answer.body?.getReader();
  if (!reader) return new Uint8Array(0);
  const parts: Uint8Array[] = [];
  let length = 0;
  while (length < most) {
    const { value, done } = await reader.read();
    if (done) break;
    parts.push(value);
    length += value.length;
  }
  void reader.cancel().catch(() => undefined);
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes.subarray(0, Math.min(length, most));
}

// A daemon that does not know `most` sends all that follows; reading stops when there is enough.
let knowsMost = true;
async function ask(name: LogName, place: Record<string, number>, most: number, signal: AbortSignal): Promise<Response> {
  const query = { ...queryOf(name), ...place };
  try {
    return await send('GET', pathOf(name), undefined, { query: knowsMost ? { ...query, most } : query, signal });
  } catch (fault) {
    if (!knowsMost || !(fault instanceof Refused) || fault.status !== 400 || !fault.message.startsWith('most ')) throw fault;
    knowsMost = false;
    return ask(name, place, most, signal);
  }
}

export async function pieceAt(name: LogName, offset: number, most: number, signal: AbortSignal): Promise<Piece> {
  // 0 is left out of an address, and means the beginning anyhow.
  const answer = await ask(name, { offset }, most, signal);
  const bytes = await upTo(answer, most);
  const size = number(answer, 'Gpusched-Log-Size') ?? offset + bytes.length;
  return { bytes, offset: number(answer, 'Gpusched-Log-Offset') ?? Math.min(offset, size), size: Math.max(size, offset + bytes.length) };
}
export async function lastPiece(name: LogName, most: number, signal: AbortSignal): Promise<Piece> {
  const answer = await ask(name, { tail: most }, most, signal);
  const bytes = await upTo(answer, most);
  const size = number(answer, 'Gpusched-Log-Size') ?? bytes.length;
  return { bytes, offset: number(answer, 'Gpusched-Log-Offset') ?? Math.max(0, size - most), size };
}
// Calls `take` with what is written from `offset` on, until the attempt has ended.
export async function followFrom(name: LogName, offset: number, take: (bytes: Uint8Array, offset: number) => void, signal: AbortSignal): Promise<void> {
  const answer = await send('GET', pathOf(name), undefined, { query: { ...queryOf(name), offset, follow: 1 }, signal });
  const reader = answer.body?.getReader();
  let at = number(answer, 'Gpusched-Log-Offset') ?? offset;
  while (reader) {
    const { value, done } = await reader.read();
    if (done) return;
    take(value, at);
    at += value.length;
  }
}

export interface Match {
  offset: number;
  line: string;
  line_offset?: number;
  at?: number;
}
interface Found {
  matches: Match[];
  next: number | null;
}
// Null: this daemon cannot search.
export async function searchLog(name: LogName, text: string, from: number, limit: number, signal: AbortSignal): Promise<Found | null> {
  try {
    return await get<Found>(`${pathOf(name)}/search`, { ...queryOf(name), text, from, limit, ignore_case: 1 }, signal);
  } catch (fault) {
    if (fault instanceof Refused && fault.status === 404 && !/job|attempt/.test(fault.message)) return null;
    throw fault;
  }
}
