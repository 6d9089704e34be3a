import { describe, expect, it } from 'vitest';
import type { Setting } from '../../../api/settings';
import { findSettings } from './find';

const setting = (name: string, given: Partial<Setting> = {}): Setting => ({ name, value: 'on', default: 'on', from: 'default', line: null, at_restart: false, waits: null, about: '', ...given });

describe('settings', () => {
  const all = [setting('scheduling.sharing'), setting('scheduling.share_cap_percent', { value: '80', default: '90', from: 'file', line: 12, about: 'how much of a card is shared' }), setting('retention.keep_for', { value: '30d', default: '30d', from: 'file' })];
  it('that differ, or that somebody wrote down, come first', () => {
    const { changed, rest } = findSettings(all, '');
    expect(changed.map((one) => one.name)).toEqual(['scheduling.share_cap_percent', 'retention.keep_for']);
    expect(rest.map((one) => one.name)).toEqual(['scheduling.sharing']);
  });
  it('are found by all words, wherever they stand', () => {
    expect(findSettings(all, 'SCHED cap').changed).toHaveLength(1);
    expect(findSettings(all, 'card 80').changed).toHaveLength(1);
    expect(findSettings(all, 'nothing')).toEqual({ changed: [], rest: [] });
  });
});
