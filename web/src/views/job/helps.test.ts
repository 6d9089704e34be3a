import { expect, test } from 'vitest';
import { fixesOf } from './helps';

test('what the daemon offers becomes a change', () => {
  expect(fixesOf('ask for --vram 7G instead of 20G and it starts now: gpusched set 7 --vram 7G')).toEqual([{ field: 'vram', value: '7G', patch: { vram_bytes: 7 * 2 ** 30 } }]);
  expect(fixesOf('with --share 40 it starts now; with --time 90s or less it starts now')).toEqual([
    { field: 'share', value: '40', patch: { share_percent: 40 } },
    { field: 'time', value: '90s', patch: { time_limit_s: 90 } },
  ]);
  expect(fixesOf('with --gpus 2 it starts now; with --mem 512M it starts now; with --cpus 1 it starts now').map((one) => one.patch)).toEqual([{ gpus: 2 }, { ram_bytes: 512 * 2 ** 20 }, { cpus: 1 }]);
  expect(fixesOf('without --gpu, --not-gpu and --gpu-type it starts now')[0]?.patch).toEqual({ only_cards: [], avoid_cards: [], card_type: '' });
});
test('advice that is no such change stays a sentence', () => {
  expect(fixesOf('gpusched release 7')).toEqual([]);
  expect(fixesOf('a higher limit, or none: gpusched set 7 --vram-limit 0')).toEqual([]);
  expect(fixesOf(null)).toEqual([]);
});
