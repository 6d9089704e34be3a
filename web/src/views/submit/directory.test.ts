import '../../testing/browser';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { directoryOf, keepDirectory, usualDirectory } from './directory';

afterEach(() => {
  vi.unstubAllGlobals();
  localStorage.removeItem('gpusched.directory.ml1');
});

function daemon(answers: Record<string, unknown>): string[] {
  const asked: string[] = [];
  vi.stubGlobal('fetch', (target: string) => {
    asked.push(target);
    const answer = answers[target];
    return Promise.resolve(new Response(JSON.stringify(answer ?? { error: { code: 'not_found', message: 'no' } }), { status: answer ? 200 : 404 }));
  });
  return asked;
}
const kNewest = '/v1/jobs?mine=1&newest=1';

describe('the directory that is offered', () => {
  it('is the one of the last job that was submitted here', async () => {
    const asked = daemon({});
    keepDirectory('ml1', '/data/run');
    expect(await usualDirectory('ml1', new AbortController().signal)).toBe('/data/run');
    expect(asked).toEqual([]);
  });
  it('is else the one of the newest job', async () => {
    daemon({ [kNewest]: { jobs: [{ id: 7 }] }, '/v1/jobs/7': { jobs: [{ id: 7, working_directory: '/home/ml1' }] } });
    expect(await usualDirectory('ml1', new AbortController().signal)).toBe('/home/ml1');
  });
  it('is none where there is no job or the daemon refuses', async () => {
    daemon({ [kNewest]: { jobs: [] } });
    expect(await usualDirectory('ml1', new AbortController().signal)).toBeNull();
    daemon({});
    expect(await usualDirectory('ml1', new AbortController().signal)).toBeNull();
    expect([directoryOf(undefined), directoryOf({}), directoryOf({ working_directory: 'here' })]).toEqual([null, null, null]);
  });
});
