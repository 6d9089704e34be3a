import { describe, expect, it } from 'vitest';
import { type ReserveFields, reserveRequest } from './reserve';

const fields: ReserveFields = { cards: [], count: '', from: '', forS: 3600, user: '', tenant: '', name: '', maintenance: false };

describe('a reservation', () => {
  it('says which cards, or how many', () => {
    expect(reserveRequest(fields)).toBeNull();
    expect(reserveRequest({ ...fields, count: '2' })).toEqual({ for_s: 3600, count: 2 });
    expect(reserveRequest({ ...fields, count: '2', cards: [3, 0] })).toEqual({ for_s: 3600, cards: [0, 3] });
  });
  it('begins by the reader’s clock', () => {
    expect(reserveRequest({ ...fields, count: '1', from: '2026-11-18T20:30' })?.from).toBe(new Date(2026, 10, 18, 20, 30).toISOString());
    expect(reserveRequest({ ...fields, count: '1', from: 'soon' })).toBeNull();
  });
  it('is for a user, a tenant, or nobody', () => {
    const all = { ...fields, count: '1', user: ' ml1 ', tenant: 'lab', name: 'demo' };
    expect(reserveRequest({ ...all, tenant: '' })).toEqual({ for_s: 3600, count: 1, user: 'ml1', name: 'demo' });
    expect(reserveRequest(all)).toEqual({ for_s: 3600, count: 1, tenant: 'lab', name: 'demo' });
    expect(reserveRequest({ ...all, maintenance: true })).toEqual({ for_s: 3600, count: 1, maintenance: true, name: 'demo' });
  });
});
