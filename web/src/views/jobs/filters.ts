// Which jobs the list is about: read from the address, asked of the daemon, and the same for one
// row that has just changed.
import type { Job } from '../../api/client';
import { statesOf } from '../../api/jobs';
import { hrefOf } from '../../app/route';

export const kSorts = ['id', 'priority', 'submitted_at', 'started_at', 'ended_at', 'state', 'user', 'name'] as const;
export type Sort = (typeof kSorts)[number];

export interface Filters {
  state: string;
  user: string;
  name: string;
  tag: string;
  group: string;
  array: string;
  since: string;
  mine: boolean;
  sort: Sort;
  down: boolean;
  // Jobs of an array or sweep are one row.
  folded: boolean;
}

const kTexts = ['state', 'user', 'name', 'tag', 'group', 'array', 'since'] as const;

export function filtersOf(query: URLSearchParams): Filters {
  const given = query.get('sort') ?? '-id';
  const down = given.startsWith('-');
  const sort = kSorts.find((one) => one === given.replace(/^-/, '')) ?? 'id';
  const text = (name: string) => (query.get(name) ?? '').trim();
  const array = /^\d+$/.test(text('array')) ? text('array') : '';
  return {
    state: text('state'),
    user: text('user'),
    name: text('name'),
    tag: text('tag'),
    group: text('group'),
    since: text('since'),
    array,
    mine: query.get('mine') === '1',
    sort,
    down,
    // Whoever asks for the jobs of one array wants to see them.
    folded: array === '' && query.get('fold') !== '0',
  };
}

export function addressOf(filters: Filters): string {
  const query: Record<string, string | undefined> = {};
  for (const name of kTexts) query[name] = filters[name] || undefined;
  query['mine'] = filters.mine ? '1' : undefined;
  const sort = `${filters.down ? '-' : ''}${filters.sort}`;
  query['sort'] = sort === '-id' ? undefined : sort;
  query['fold'] = filters.folded || filters.array ? undefined : '0';
  return hrefOf('jobs', query);
}

// The filters alone, as every route for many jobs takes them.
export function queryOf(filters: Filters): Record<string, string> {
  const query: Record<string, string> = {};
  for (const name of kTexts) if (filters[name]) query[name] = filters[name];
  if (filters.mine) query['mine'] = '1';
  return query;
}
export function narrowed(filters: Filters): boolean {
  return Object.keys(queryOf(filters)).length > 0;
}

// Whether a job that just came belongs into the list. Of `since` a job that comes now is always.
export function matches(filters: Filters, job: Job, me: string): boolean {
  if (filters.state && !statesOf(filters.state).has(job.state)) return false;
  if (filters.user && job.user !== filters.user) return false;
  if (filters.name && job.name !== filters.name) return false;
  if (filters.tag && !job.tags.includes(filters.tag)) return false;
  if (filters.group && job.group !== filters.group) return false;
  if (filters.array && String(job.array) !== filters.array) return false;
  return !filters.mine || job.user === me;
}
