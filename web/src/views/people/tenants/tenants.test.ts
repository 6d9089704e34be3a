import '../../../testing/browser';
import { describe, expect, it } from 'vitest';
import { type Form, type Tenant, changesOf, formOf, readGpuHours, whatIsLeft } from './quota';

const kGiB = 1024 ** 3;
const tenant: Tenant = {
  name: 'lab', weight: 2, users: ['ml1'], set: {},
  quota: { cards: 4, vram_bytes: 100 * kGiB, running: null, queued: 1000, gpu_hours: '200/week', time_limit_s: 86_400, highest_priority: 84 },
  usage_gpu_seconds: 0, share_due: 0.5, share_got: 0.4, below_share: true, gpu_hours_used: 212.5, projects: [], running: 3, cards: 3, vram_bytes: 60 * kGiB, waiting: 12,
};

describe('quotas', () => {
  it('say what is left, never less than nothing', () => {
    expect(whatIsLeft(tenant).map((one) => [one.key, one.left])).toEqual([['cards', 1], ['vram_bytes', 40 * kGiB], ['queued', 988], ['gpu_hours', 0]]);
  });
  it('read hours in a period', () => {
    expect(readGpuHours('200/week')).toEqual({ hours: 200, period: 'week' });
    expect(readGpuHours('1.5/10d')).toEqual({ hours: 1.5, period: '10d' });
    expect(readGpuHours(null)).toBeNull();
    expect(readGpuHours('lots')).toBeNull();
  });
});

describe('the form', () => {
  const before = formOf(tenant);
  const after = (change: Partial<Form>) => changesOf(before, { ...before, ...change });
  it('sends only what differs', () => {
    expect(after({})).toBeNull();
    expect(after({ cards: '6' })).toEqual({ cards: 6 });
    expect(after({ vram: '1.5', time: '0.5' })).toEqual({ vram_bytes: 1.5 * kGiB, time_limit_s: 1800 });
    expect(after({ gpuHours: '20/day', weight: '0.5' })).toEqual({ gpu_hours: '20/day', weight: 0.5 });
  });
  it('lifts a limit by an empty field', () => {
    expect(after({ cards: '', gpuHours: ' ' })).toEqual({ cards: 'none', gpu_hours: 'none' });
  });
  it('sends nothing that is no number', () => {
    expect(after({ cards: 'many' })).toBeNull();
    expect(after({ cards: '1.5' })).toBeNull();
    expect(after({ running: '-1' })).toBeNull();
    expect(after({ weight: '' })).toBeNull();
  });
});
