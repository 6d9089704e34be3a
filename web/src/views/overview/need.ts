// What a job asks for, in a few words.
import type { Job } from '../../api/client';
import { bytes } from '../../words/figures';
import { wordsNow } from '../../words/words';
import { words } from './words';

export function needText(needs: Job['needs']): string {
  const w = wordsNow(words);
  const { least, most } = needs.gpus;
  if (least === 0 && most === 0) return w.needCpus(needs.cpus);
  const count = most === 'all' || least === most ? String(least) : `${least}–${most}`;
  const each = needs.exclusive || (needs.vram_bytes === 0 && needs.share_percent === 0) ? w.needWhole : needs.vram_bytes > 0 ? bytes(needs.vram_bytes) : w.needShare(needs.share_percent);
  return w.needs(w.needCards(count === '1' ? 1 : count), each);
}
