// Sizes, durations and times as the command line reads and writes them.
const kUnits: Record<string, number> = { K: 10, M: 20, G: 30, T: 40 };

// "8G" and "1.5 GiB" are GiB; null: not a size.
export function parseSize(text: string): number | null {
  const found = /^(\d+(?:\.\d+)?)\s*([KMGT]?)(?:i?B)?$/i.exec(text.trim());
  if (!found) return null;
  const bytes = Math.round(Number(found[1]) * 2 ** (kUnits[(found[2] ?? '').toUpperCase()] ?? 0));
  return Number.isSafeInteger(bytes) ? bytes : null;
}
export function sizeText(bytes: number): string {
  for (const [unit, power] of [['T', 40], ['G', 30], ['M', 20], ['K', 10]] as const) {
    const amount = bytes / 2 ** power;
    if (amount >= 1 && Number.isInteger(amount * 4)) return `${amount}${unit}`;
  }
  return String(bytes);
}

const kSeconds: Record<string, number> = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 };
// "90", "15m", "1h30m", "2d", "01:30:00", "1-00:00:00"; null: not a duration.
export function parseDuration(text: string): number | null {
  const typed = text.trim().replace(/\s+/g, '');
  if (/^\d+$/.test(typed)) return Number(typed);
  const days = /^(\d+)-(\d\d?)(?::(\d\d?))?(?::(\d\d?))?$/.exec(typed);
  const clock = /^(?:(\d+):)?(\d+):(\d\d?)$/.exec(typed);
  if (days ?? clock) {
    const [d, h, m, s] = days ? [days[1], days[2], days[3], days[4]] : [0, clock?.[1], clock?.[2], clock?.[3]];
    if (Number(m ?? 0) > 59 && (days || clock?.[1])) return null;
    if (Number(s ?? 0) > 59 || (days && Number(h) > 23)) return null;
    return Number(d) * 86_400 + Number(h ?? 0) * 3600 + Number(m ?? 0) * 60 + Number(s ?? 0);
  }
  // The larger unit first, each one once.
  if (!/^(?:\d+w)?(?:\d+d)?(?:\d+h)?(?:\d+m)?(?:\d+s)?$/.test(typed) || typed === '') return null;
  let seconds = 0;
  for (const [, amount, unit] of typed.matchAll(/(\d+)([smhdw])/g)) seconds += Number(amount) * (kSeconds[unit as string] as number);
  return seconds;
}
export function durationText(seconds: number): string {
  for (const [unit, size] of [['d', 86_400], ['h', 3600], ['m', 60]] as const) if (seconds >= size && seconds % size === 0) return `${seconds / size}${unit}`;
  let rest = seconds;
  let text = '';
  for (const [unit, size] of [['h', 3600], ['m', 60], ['s', 1]] as const) {
    const count = Math.floor(rest / size);
    if (count > 0) text += `${count}${unit}`;
    rest -= count * size;
  }
  return text || '0';
}
