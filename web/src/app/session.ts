// Who reads this page, and what they may do. A login is a cookie that scripts cannot read; through
// a tunnel to the socket no login is needed.
import { useEffect, useState } from 'preact/hooks';
import { Refused, type WhoAmI, change, get, whenLoginNeeded } from '../api/client';
import { forgetMachine, watchMachine } from '../api/machine';

export interface Session {
  state: 'asking' | 'in' | 'out' | 'unreachable';
  who: WhoAmI | null;
  // Why one has to log in (again).
  why: string | null;
}

let session: Session = { state: 'asking', who: null, why: null };
const hearers = new Set<() => void>();

function tell(next: Partial<Session>): void {
  session = { ...session, ...next };
  for (const hear of hearers) hear();
}

// A link of `gpusched page` carries a token behind the #, which no server and no log sees. It is
// taken out of the address and of the history of the browser at once.
export async function takeLoginLink(): Promise<void> {
  const found = /^#(?:\/?)login=([^&]+)/.exec(location.hash);
  if (!found?.[1]) return;
  history.replaceState(null, '', '#/');
  try {
    await logIn(decodeURIComponent(found[1]));
  } catch (fault) {
    tell({ state: 'out', why: fault instanceof Error ? fault.message : String(fault) });
  }
}

export async function logIn(token: string): Promise<void> {
  tell({ state: 'in', who: await change<WhoAmI>('POST', '/v1/login', { token: token.trim() }), why: null });
  watchMachine();
}
export async function logOut(): Promise<void> {
  await change('POST', '/v1/logout', {});
  forgetMachine();
  tell({ state: 'out', who: null, why: null });
}
export async function askWhoIAm(): Promise<void> {
  try {
    tell({ state: 'in', who: await get<WhoAmI>('/v1/whoami'), why: null });
    watchMachine();
  } catch (fault) {
    if (fault instanceof Refused && fault.needsLogin) return;
    tell({ state: 'unreachable', why: fault instanceof Error ? fault.message : String(fault) });
  }
}
whenLoginNeeded(() => {
  if (session.state === 'out') return;
  forgetMachine();
  // Who was logged in is told that this is over; who comes for the first time is just asked.
  tell({ state: 'out', who: null, why: session.state === 'in' ? 'expired' : session.why });
});

// Whether `action` (as in whoami) may be done to one's own things, or to those of `user`.
export function may(who: WhoAmI | null, action: string, user?: string): boolean {
  const row = who?.may.find((one) => one.action === action);
  if (!row || !who) return false;
  return user === undefined || user === who.user ? row.own : row.others;
}

export function useSession(): Session {
  const [, draw] = useState(0);
  useEffect(() => {
    const hear = () => draw((count) => count + 1);
    hearers.add(hear);
    return () => {
      hearers.delete(hear);
    };
  }, []);
  return session;
}
