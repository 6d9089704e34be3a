import '../testing/browser';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { WhoAmI } from '../api/client';
import { reasonText } from '../views/login/reason';
import { setLanguage } from '../words/words';
import { loginToken } from './login-link';
import { askWhoIAm, logIn, logOut, may, sessionNow, takeLoginLink } from './session';

const who: WhoAmI = {
  schema: 1, user: 'ml1', uid: 1000, role: 'user', tenant: 'ml1', proof: 'cookie', token: null, token_name: null, expires_at: null,
  may: [{ action: 'act', own: true, others: false }, { action: 'drain', own: false, others: false }],
};
// What the daemon answers, by path; 401 for what is not here.
let answers: Record<string, unknown> = {};
// What the page knows of the machine is another's business; here it is watched or forgotten.
const machine = vi.hoisted(() => ({ watched: false, breaks: (_: string | null): void => undefined }));
vi.mock('../api/machine', () => ({
  watchMachine: () => {
    machine.watched = true;
  },
  forgetMachine: () => {
    machine.watched = false;
  },
  whenStreamBreaks: (then: typeof machine.breaks) => {
    machine.breaks = then;
  },
}));
const asked: string[] = [];
const refused = (message: string) => new Response(JSON.stringify({ error: { code: 'unauthenticated', message } }), { status: 401 });

beforeEach(() => {
  answers = {};
  asked.length = 0;
  vi.stubGlobal('fetch', (path: string, given: { method: string }) => {
    asked.push(`${given.method} ${path.split('?')[0]}`);
    const found = answers[path.split('?')[0] ?? ''];
    if (found === 'gone') return Promise.reject(new TypeError('no'));
    return Promise.resolve(found === undefined || typeof found === 'string' ? refused(found as string ?? 'a login is needed') : new Response(JSON.stringify(found)));
  });
  location.hash = '';
});
afterEach(() => {
  setLanguage('en');
  vi.unstubAllGlobals();
});

describe('a login link', () => {
  it('is known by its address', () => {
    expect(loginToken('#login=gpst_a_b')).toBe('gpst_a_b');
    expect(loginToken('#/login=gpst_a%5Fb')).toBe('gpst_a_b');
    expect(loginToken('#login=%')).toBe('%');
    expect(loginToken('#/jobs?login=x')).toBeNull();
    expect(loginToken('#login=')).toBeNull();
    expect(loginToken('')).toBeNull();
  });
  it('logs in, and leaves nothing in the address', async () => {
    answers = { '/v1/login': who };
    location.hash = '#login=gpst_secret';
    await takeLoginLink();
    expect(sessionNow()).toMatchObject({ state: 'in', who: { user: 'ml1' }, why: null });
    expect(location.hash).toBe('#/');
    expect(machine.watched).toBe(true);
  });
  it('brings one back to where one was', async () => {
    answers = { '/v1/login': who };
    location.hash = '#login=gpst_secret';
    await takeLoginLink('#/job/7?attempt=2');
    expect(location.hash).toBe('#/job/7?attempt=2');
    location.hash = '#login=gpst_secret';
    await takeLoginLink('#login=gpst_other');
    expect(location.hash).toBe('#/');
  });
  it('asks who is somebody already, and takes nothing from them unasked', async () => {
    answers = { '/v1/login': who };
    await logIn('gpst_secret');
    answers = { '/v1/whoami': who, '/v1/login': { ...who, user: 'ml2' } };
    const sentences: string[] = [];
    let answer = false;
    window.confirm = (text) => {
      sentences.push(text ?? '');
      return answer;
    };
    location.hash = '#login=gpst_other';
    await takeLoginLink('#/jobs');
    expect(sentences[0]).toContain('You are ml1 here');
    expect(sessionNow().who?.user).toBe('ml1');
    expect(location.hash).toBe('#/jobs');
    answer = true;
    location.hash = '#login=gpst_other';
    await takeLoginLink('#/jobs');
    expect(sessionNow().who?.user).toBe('ml2');
  });
  it('that does not hold any more says so, and takes nothing from a login that does', async () => {
    answers = { '/v1/login': 'there is no such token', '/v1/whoami': who };
    location.hash = '#login=gpst_old';
    await takeLoginLink();
    expect(sessionNow().state).toBe('in');
    answers = { '/v1/login': 'there is no such token' };
    location.hash = '#login=gpst_old';
    await takeLoginLink();
    expect(sessionNow()).toMatchObject({ state: 'out', who: null, why: 'there is no such token' });
    expect(location.hash).toBe('#/');
  });
});

describe('a login that ends while the page is open', () => {
  beforeEach(async () => {
    answers = { '/v1/login': who };
    await logIn('gpst_secret');
  });
  it('is told by whatever is refused, and the address stays', async () => {
    location.hash = '#/people/report';
    answers = {};
    await askWhoIAm();
    expect(sessionNow()).toMatchObject({ state: 'out', who: null, why: 'expired' });
    expect(location.hash).toBe('#/people/report');
    expect(machine.watched).toBe(false);
  });
  it('is told by the last words of the stream', async () => {
    answers = {};
    machine.breaks('the token was revoked');
    await vi.waitFor(() => expect(sessionNow()).toMatchObject({ state: 'out', why: 'the token was revoked' }));
  });
  it('is not over because the daemon is away', async () => {
    answers = { '/v1/whoami': 'gone' };
    const before = asked.length;
    machine.breaks(null);
    await vi.waitFor(() => expect(asked.slice(before)).toContain('GET /v1/whoami'));
    await new Promise((done) => setTimeout(done, 5));
    expect(sessionNow().state).toBe('in');
  });
  it('may have become another role', async () => {
    answers = { '/v1/whoami': { ...who, role: 'viewer', may: [] } };
    machine.breaks('the role became lower');
    await vi.waitFor(() => expect(sessionNow().who?.role).toBe('viewer'));
    expect(sessionNow().state).toBe('in');
    // Those words were of that time alone.
    answers = {};
    await askWhoIAm();
    expect(sessionNow().why).toBe('expired');
  });
  it('ends by hand, without a reason', async () => {
    answers = { '/v1/logout': { schema: 1, ended: true } };
    await logOut();
    expect(sessionNow()).toEqual({ state: 'out', who: null, why: null });
  });
});

describe('what one may do', () => {
  it('is one’s own, or others’', () => {
    expect([may(who, 'act'), may(who, 'act', 'ml1'), may(who, 'act', 'ml2'), may(who, 'drain'), may(who, 'unheard')]).toEqual([true, true, false, false, false]);
    expect(may(null, 'act')).toBe(false);
  });
});

describe('why one has to log in', () => {
  it('is said in the reader’s language where it is known', () => {
    expect(reasonText(null)).toBeNull();
    expect(reasonText('the token was revoked')).toBe('The login is over: its token was revoked.');
    setLanguage('zh');
    expect(reasonText('this token has expired; gpusched token create makes a new one')).toBe('登录已结束：令牌已过期。');
    expect(reasonText('too many wrong tokens')).toBe('too many wrong tokens');
  });
});
