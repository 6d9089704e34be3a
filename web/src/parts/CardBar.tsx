// The VRAM of a card as a bar: who has what of it. Colour is the owner, pattern says what kind.
import { bytes } from '../words/figures';
import { defineWords, useWords, wordsNow } from '../words/words';
import { type CardBarParts, type Segment } from './cardBar';
import { initials, ownerColour } from './owner';
import './card-bar.css';

export const barWords = defineWords(
  {
    used: (who: string, size: string) => `${who} uses ${size}`,
    usedOf: (who: string, size: string, given: string) => `${who} uses ${size} of the ${given} it was given`,
    held: (who: string, size: string) => `${who} was given ${size} and has not used it yet`,
    aside: (who: string, size: string) => `${who} is stopped and keeps ${size}`,
    foreign: (who: string, size: string) => `processes of ${who} that are no jobs use ${size}`,
    unlisted: (size: string) => `${size} are used by nobody whom the driver lists`,
    reserved: (size: string) => `${size} are kept by the driver`,
    free: (size: string) => `${size} free`,
    job: (id: number, user: string) => `job ${id} of ${user}`,
    somebody: 'somebody unknown',
    unknown: 'What is in use is not known.',
  },
  {
    used: (who: string, size: string) => `${who} 已用 ${size}`,
    usedOf: (who: string, size: string, given: string) => `${who} 已用 ${size}，共分配 ${given}`,
    held: (who: string, size: string) => `${who} 已分配 ${size}，尚未使用`,
    aside: (who: string, size: string) => `${who} 已冻结，仍占 ${size}`,
    foreign: (who: string, size: string) => `${who} 的非作业进程占用 ${size}`,
    unlisted: (size: string) => `${size} 为未归属的占用，驱动没有列出使用者`,
    reserved: (size: string) => `驱动保留 ${size}`,
    free: (size: string) => `空闲 ${size}`,
    job: (id: number, user: string) => `${user} 的作业 ${id}`,
    somebody: '未知用户',
    unknown: '无法得知当前占用。',
  },
);

export function segmentText(one: Segment): string {
  const w = wordsNow(barWords);
  const size = bytes(one.bytes);
  const user = one.user ?? w.somebody;
  if (one.kind === 'free') return w.free(size);
  if (one.kind === 'reserved') return w.reserved(size);
  if (one.kind === 'unlisted') return w.unlisted(size);
  return w[one.kind](one.job === null ? user : w.job(one.job, user), size);
}
export function barText(parts: CardBarParts): string {
  const w = wordsNow(barWords);
  const said: string[] = [];
  parts.segments.forEach((one, index) => {
    const next = parts.segments[index + 1];
    const before = parts.segments[index - 1];
    const isPair = (used: Segment | undefined, held: Segment | undefined) => used?.kind === 'used' && held?.kind === 'held' && used.job !== null && used.job === held.job;
    // What a job uses and what it was given besides is one thing to say.
    if (isPair(before, one)) return;
    if (next && isPair(one, next)) said.push(w.usedOf(w.job(one.job ?? 0, one.user ?? w.somebody), bytes(one.bytes), bytes(one.bytes + next.bytes)));
    else said.push(segmentText(one));
  });
  if (parts.free === null) said.push(w.unknown);
  return said.join('; ');
}

const kRoomForInitials = 0.09;

export function CardBar({ parts, tall }: { parts: CardBarParts; tall?: boolean }) {
  useWords(barWords);
  return (
    <span class={`card-bar ${tall ? 'tall' : ''} ${parts.free === null ? 'unknown' : ''}`} role="img" aria-label={barText(parts)}>
      {parts.segments.map((one) => {
        const part = one.bytes / parts.total;
        const owned = one.kind === 'used' || one.kind === 'held' || one.kind === 'aside' || one.kind === 'foreign';
        return (
          <span
            key={`${one.kind}${one.job ?? one.user ?? ''}`}
            class={`segment ${one.kind}`}
            style={{ width: `${part * 100}%`, '--owner': owned ? (one.user === null ? 'var(--foreign)' : ownerColour(one.user)) : undefined }}
          >
            {owned && part >= kRoomForInitials && one.user !== null && <span class="segment-initials">{initials(one.user)}</span>}
          </span>
        );
      })}
      {parts.headroomFrom !== null && <span class="headroom" style={{ left: `${(parts.headroomFrom / parts.total) * 100}%` }} />}
    </span>
  );
}
