// Why one has to log in again. What the daemon says of it is English; its known sentences have words
// here, and any other stands as it is.
import { wordsNow } from '../../words/words';
import { words } from './words';

export function reasonText(why: string | null): string | null {
  if (why === null) return null;
  const w = wordsNow(words);
  if (why === 'expired') return w.over;
  if (/token was revoked/.test(why)) return w.revoked;
  if (/token has expired/.test(why)) return w.expired;
  if (/login has ended/.test(why)) return w.ended;
  return why;
}
