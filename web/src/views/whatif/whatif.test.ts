import '../../testing/browser';
import { afterEach, describe, expect, it } from 'vitest';
import type { WhatIfAnswer, WhatIfFigures } from '../../api/whatif';
import { setLanguage } from '../../words/words';
import { bucketsOf } from './buckets';
import { notesOf } from './notes';
import { type Question, changesNothing, hrefOfQuestion, kNothing, readQuestion, requestOf } from './question';
import { changeText, headline, isFarOff, tailSentence } from './sentence';

function figures(average: number, p90 = average): WhatIfFigures {
  return { average_wait_s: average, median_wait_s: average, p90_wait_s: p90, p99_wait_s: p90, average_completion_s: average, utilisation_percent: 50, preemptions: 0, makespan_s: 1 };
}
function answer(was: number, is: number, would: number): WhatIfAnswer {
  return { schema: 1, jobs: 512, left_out: 3, since: '', until: '', was: figures(was), as_configured: figures(is), would: figures(would), waits: { edges_s: [0], was: [], as_configured: [], would: [] }, by_tenant: [], moved_most: [], notes: [] };
}
const asked = (change: Partial<Question>): Question => ({ ...kNothing, ...change });

afterEach(() => setLanguage('en'));

describe('sentences', () => {
  it('say what falls, rises and stays', () => {
    const more = asked({ add: ['24G'] });
    expect(headline(more, answer(2500, 2520, 540), false)).toBe('With one more card of 24 GiB the average wait falls from 42 min to 9 min.');
    expect(headline(asked({ remove: [3] }), answer(0, 540, 2520), false)).toBe('Without card 3 the average wait rises from 9 min to 42 min.');
    expect(headline(more, answer(0, 2521, 2522), false)).toBe('With one more card of 24 GiB the average wait stays at 42 min.');
    expect(headline(kNothing, answer(2500, 2400, 2400), true)).toBe('Jobs waited 42 min on average; the replay without any change says 40 min.');
  });
  it('name every change', () => {
    expect(changeText(asked({ add: ['24G', '24G', '80G'], remove: [2, 0], policy: 'easy', cap: 80, without: 'ml2' }))).toBe(
      'with 2 more cards of 24 GiB, with one more card of 80 GiB, without the cards 0, 2, in the order “easy”, with sharing up to 80 % and without the jobs of ml2',
    );
    expect(changeText(kNothing)).toBe('without any change');
  });
  it('are Chinese, too', () => {
    setLanguage('zh');
    expect(headline(asked({ add: ['24G'] }), answer(0, 2520, 540), false)).toBe('如果增加一张 24 GiB 的显卡，平均等待时间将从 42 分钟降至 9 分钟。');
    expect(headline(asked({ remove: [0, 1], without: 'ml2' }), answer(0, 540, 2520), false)).toBe('如果去掉显卡 0、1并排除 ml2 的作业，平均等待时间将从 9 分钟升至 42 分钟。');
    expect(tailSentence(figures(60), figures(30))).toBe('90 % 的作业等待不超过 30 秒，原为 1 分钟。');
  });
  it('warn when the replay is far from what was', () => {
    expect(isFarOff(figures(2500), figures(2400))).toBe(false);
    expect(isFarOff(figures(2500), figures(900))).toBe(true);
    expect(isFarOff(figures(60), figures(0))).toBe(false);
  });
});

describe('a question', () => {
  it('comes back from its address', () => {
    const question = asked({ days: 30, add: ['24G', '80G'], remove: [1, 3], policy: 'srtf', cap: 70, without: 'a b&c', raise: 'ml2', priority: 0 });
    expect(readQuestion(new URLSearchParams(hrefOfQuestion(question).split('?')[1]))).toEqual(question);
    expect(hrefOfQuestion(kNothing)).toBe('#/whatif');
  });
  it('leaves out what makes no sense', () => {
    const odd = readQuestion(new URLSearchParams('days=5&add=0G,24G,x,24T&remove=-1,1,1,zz&policy=rm&cap=20&priority=101'));
    expect(odd).toEqual(asked({ add: ['24G'], remove: [1] }));
  });
  it('asks only for what differs', () => {
    expect(requestOf(kNothing)).toEqual({ since_s: 1_209_600 });
    expect(changesNothing(kNothing)).toBe(true);
    expect(requestOf(asked({ raise: 'ml1', priority: 80 }))).toEqual({ since_s: 1_209_600, priority_of: { ml1: 80 } });
    expect(changesNothing(asked({ raise: 'ml1' }))).toBe(true);
    expect(requestOf(asked({ add: ['24G'], cap: 80 }))).toEqual({ since_s: 1_209_600, add_cards: ['24G'], cap_percent: 80 });
  });
});

describe('buckets of waits', () => {
  it('have names and end where nobody waits any more', () => {
    const buckets = bucketsOf({ edges_s: [0, 60, 300, 3600, 86_400], was: [9, 9, 9, 9, 9], as_configured: [5, 2, 1, 0, 0], would: [8, 0, 0, 0, 0] });
    expect(buckets.map((one) => one.name)).toEqual(['less than 1 min', '1 min to 5 min', '5 min to 1 h']);
    expect(buckets[1]).toMatchObject({ before: 2, after: 0 });
  });
  it('say what is beyond the last edge', () => {
    expect(bucketsOf({ edges_s: [0, 60], was: [0, 0], as_configured: [0, 1], would: [0, 0] })[1]?.name).toBe('1 min and more');
  });
});

describe('notes', () => {
  const told = [
    "as_configured replays the same jobs by today's settings on today's cards; compare would with it: was also has in it what a replay cannot know.",
    'sjf gives whole cards: in would no two jobs share one.',
    '1200 of the jobs ran more than once; the time of earlier attempts counts as waiting in was.',
    'A note of a newer daemon.',
  ];
  it('are in words for people, and new ones stand as they are', () => {
    expect(notesOf(told)).toEqual([
      'The order “sjf” gives whole cards: with it no two jobs share one.',
      '1,200 of the jobs ran more than once; the time of their earlier attempts counts as waiting in what really happened.',
      'A note of a newer daemon.',
    ]);
    setLanguage('zh');
    expect(notesOf(told)[0]).toBe('“sjf”策略按整卡分配：采用它时没有作业共享显卡。');
  });
});
