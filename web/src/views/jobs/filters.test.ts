import { expect, test } from 'vitest';
import type { Job } from '../../api/client';
import { addressOf, filtersOf, matches, queryOf } from './filters';

const read = (text: string) => filtersOf(new URLSearchParams(text));

test('the address says the filters and is said by them', () => {
  const filters = read('state=active,failed&user=ml1&mine=1&sort=-priority&since=2h');
  expect(filters).toMatchObject({ state: 'active,failed', user: 'ml1', mine: true, sort: 'priority', down: true, since: '2h', folded: true });
  expect(read(addressOf(filters).split('?')[1] ?? '')).toEqual(filters);
});
test('the newest first is the order that needs no word', () => {
  expect(addressOf(read(''))).toBe('#/jobs');
  expect(addressOf(read('sort=id'))).toBe('#/jobs?sort=id');
  expect(read('sort=nonsense')).toMatchObject({ sort: 'id', down: false });
});
test('one array is shown unfolded', () => {
  expect(read('array=7').folded).toBe(false);
  expect(read('array=seven').array).toBe('');
  expect(addressOf(read('fold=0'))).toBe('#/jobs?fold=0');
});
test('only filters are sent to routes that change jobs', () => {
  expect(queryOf(read('state=queued&tag=a%20b&sort=name&fold=0'))).toEqual({ state: 'queued', tag: 'a b' });
});
test('a row is judged as the daemon judges it', () => {
  const job = { state: 'queued', user: 'ml1', name: null, tags: ['paper'], group: null, array: 4 } as unknown as Job;
  expect(matches(read('state=waiting&tag=paper'), job, 'ml1')).toBe(true);
  expect(matches(read('state=active'), job, 'ml1')).toBe(false);
  expect(matches(read('mine=1'), job, 'ml2')).toBe(false);
  expect(matches(read('name=x'), job, 'ml1')).toBe(false);
  expect(matches(read('array=4'), job, 'ml1')).toBe(true);
});
