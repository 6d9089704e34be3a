// Who reads this page, and what they may do. A login is a cookie that scripts cannot read; through
// a tunnel to the socket no login is needed.
import { useEffect, useState } from 'preact/hooks';
import { Refused, type WhoAmI, change, get, whenLoginNeeded } from '../api/client';
import { forgetMachine, watchMachine, whenStreamBreaks } from '../api/machine';
import { say } from '../parts/Notices';
import { loginToken } from './login-link';
import { words } from './words';
import { wordsNow } from '../words/words';

export interface Session {
  state: 'asking' | 'in' | 'out' | 'unreachable';
  who: WhoAmI | null;
  // Why one has to log in (again); 'expired' where nobody said.
  why: string | null;
}

let session: Session = { state: 'asking', who: null, why: null };
const hearers = new Set<() => void>();
// A login that fails says nothing of the one that holds.
let loggingIn = false;
let looking = false;
let lastWords: string | null = null;

function tell(next: Partial<Session>): void {
  session = { ...session, ...next };
  for (const hear of hearers) hear();
}
function textOf(fault: unknown): string {
  return fault instanceof Error ? fault.message : String(fault);
}

// A link of `gpusched page` carries a token behind the #, which no server and no log sees. It is
// taken out of the address and of the history of the browser at once. `before`: where one was.
export async function takeLoginLink(before = '#/'): Promise<void> {
  const token = loginToken(location.hash);
  if (token === null) return;
  history.replaceState(null, '', loginToken(before) === null && before ? before : '#/');
  // Anybody can make a link, of a login of their own: what one does then would be done as them.
  await lookWhoIAm();
  if (session.state === 'in' && session.who && !window.confirm(wordsNow(words).otherLogin(session.who.user))) return;
  try {
    await logIn(token);
  } catch (fault) {
    // A link that does not hold any more takes nothing from a login that does.
    await lookWhoIAm();
    if (session.state === 'in') say(textOf(fault), true);
    else tell({ state: 'out', why: textOf(fault) });
  }
}

export async function logIn(token: string): Promise<void> {
  loggingIn = true;
  try {
    const who = await change<WhoAmI>('POST', '/v1/login', { token: token.trim() });
    forgetMachine();
    tell({ state: 'in', who, why: null });
    watchMachine();
  } finally {
    loggingIn = false;
  }
}
export async function logOut(): Promise<void> {
  try {
    await change('POST', '/v1/logout', {});
  } catch (fault) {
    if (!(fault instanceof Refused && fault.needsLogin)) {
      say(textOf(fault), true);
      return;
    }
  }
  forgetMachine();
  tell({ state: 'out', who: null, why: null });
}
export async function askWhoIAm(): Promise<void> {
  try {
    tell({ state: 'in', who: await get<WhoAmI>('/v1/whoami'), why: null });
    watchMachine();
  } catch (fault) {
    if (fault instanceof Refused && fault.needsLogin) return;
    tell({ state: 'unreachable', why: textOf(fault) });
  }
}
// Asks quietly: a daemon that does not answer changes nothing of what is shown.
async function lookWhoIAm(): Promise<void> {
  if (looking) return;
  looking = true;
  try {
    const who = await get<WhoAmI>('/v1/whoami');
    const again = session.state !== 'in';
    // Another tab may have logged in as somebody else: what is shown here is not theirs.
    const another = !again && session.who !== null && session.who.user !== who.user;
    if (another) forgetMachine();
    if (again || JSON.stringify(who) !== JSON.stringify(session.who)) tell({ state: 'in', who, why: null });
    if (again || another) watchMachine();
    lastWords = null;
  } catch {
    // Who has to log in was told by whenLoginNeeded.
  }
  looking = false;
}
whenLoginNeeded(() => {
  if (session.state === 'out' || loggingIn) return;
  forgetMachine();
  // Who was logged in is told that this is over; who comes for the first time is just asked.
  tell({ state: 'out', who: null, why: session.state === 'in' ? (lastWords ?? 'expired') : session.why });
  lastWords = null;
});
// A stream does not say why it was refused; what it said at its end may be the reason. A role that
// became lower ends it as well, and then one is still who one was.
whenStreamBreaks((words) => {
  if (words !== null) lastWords = words;
  if (session.state === 'in') void lookWhoIAm();
});

export function listenForLogins(): void {
  // A link that is pasted into the address of an open page does not load it anew.
  window.addEventListener('hashchange', (event) => {
    if (loginToken(location.hash) === null) return;
    const old = event.oldURL.indexOf('#');
    void takeLoginLink(old < 0 ? '#/' : event.oldURL.slice(old));
  });
  // Who logged in in another tab meanwhile is logged in here, too.
  const look = () => {
    if (session.state !== 'asking' && document.visibilityState === 'visible') void lookWhoIAm();
  };
  window.addEventListener('focus', look);
  document.addEventListener('visibilitychange', look);
}

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
export function sessionNow(): Session {
  return session;
}
