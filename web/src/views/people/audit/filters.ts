// Which entries of the audit are shown: kept in the address.
import { hrefOf } from '../../../app/route';

export interface Filters {
  since: string;
  user: string;
  operation: string;
  result: string;
  leases: boolean;
}
export const kResults = ['done', 'refused', 'failed', 'begun', 'interrupted'] as const;
export const kSinces = ['1h', '1d', '7d', '30d', ''];

export function readFilters(query: URLSearchParams): Filters {
  const since = query.get('since') ?? '7d';
  const result = query.get('result') ?? '';
  return {
    since: /^(\d{1,4}[hd])?$/.test(since) ? since : '7d',
    user: (query.get('user') ?? '').slice(0, 255),
    operation: (query.get('operation') ?? '').slice(0, 64),
    result: (kResults as readonly string[]).includes(result) ? result : '',
    leases: query.get('leases') === '1',
  };
}
export function hrefOfFilters(filters: Filters): string {
  return hrefOf('people/audit', {
    since: filters.since === '7d' ? undefined : filters.since,
    user: filters.user || undefined,
    operation: filters.operation || undefined,
    result: filters.result || undefined,
    leases: filters.leases ? 1 : undefined,
  });
}
