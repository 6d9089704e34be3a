import '../../../testing/browser';
import { describe, expect, it } from 'vitest';
import { hrefOfFilters, readFilters } from './filters';

describe('filters of the audit', () => {
  it('come back from their address', () => {
    const filters = { since: '30d', user: 'a&b', operation: 'cancel', result: 'refused', leases: true };
    expect(readFilters(new URLSearchParams(hrefOfFilters(filters).split('?')[1]))).toEqual(filters);
    expect(hrefOfFilters(readFilters(new URLSearchParams()))).toBe('#/people/audit');
  });
  it('leave out what makes no sense', () => {
    expect(readFilters(new URLSearchParams('since=yesterday&result=maybe'))).toEqual({ since: '7d', user: '', operation: '', result: '', leases: false });
    expect(readFilters(new URLSearchParams('since=')).since).toBe('');
  });
});
