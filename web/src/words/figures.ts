// Sizes, times and amounts as people read them, in the reader's language and time zone.
import { languageNow, locale } from './words';

const kUnits = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];

export function bytes(value: number | null | undefined, digits = 1): string {
  if (value === null || value === undefined) return '–';
  let unit = 0;
  let amount = value;
  while (amount >= 1024 && unit < kUnits.length - 1) {
    amount /= 1024;
    unit += 1;
  }
  return `${amount.toFixed(unit === 0 || amount >= 100 ? 0 : digits)} ${kUnits[unit]}`;
}

// "3 s", "12 min", "3 h 5 min", "2 d 4 h"
export function duration(seconds: number | null | undefined): string {
  if (seconds === null || seconds === undefined || !Number.isFinite(seconds)) return '–';
  const zh = languageNow() === 'zh';
  const [d, h, m, s] = zh ? [' 天', ' 小时', ' 分钟', ' 秒'] : [' d', ' h', ' min', ' s'];
  const whole = Math.max(0, Math.round(seconds));
  if (whole < 60) return `${whole}${s}`;
  const minutes = Math.round(whole / 60);
  if (minutes < 60) return `${minutes}${m}`;
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return minutes % 60 ? `${hours}${h} ${minutes % 60}${m}` : `${hours}${h}`;
  const rest = hours % 24;
  return rest ? `${Math.floor(hours / 24)}${d} ${rest}${h}` : `${Math.floor(hours / 24)}${d}`;
}

// To the second where a minute more or less matters: "1 min 42 s".
export function durationFine(seconds: number | null | undefined): string {
  if (seconds === null || seconds === undefined || !Number.isFinite(seconds)) return '–';
  const whole = Math.max(0, Math.round(seconds));
  if (whole < 60 || whole >= 600 || whole % 60 === 0) return duration(whole);
  const [m, s] = languageNow() === 'zh' ? [' 分', ' 秒'] : [' min', ' s'];
  return `${Math.floor(whole / 60)}${m} ${whole % 60}${s}`;
}

export function percent(value: number | null | undefined): string {
  return value === null || value === undefined ? '–' : `${Math.round(value)} %`;
}
export function amount(value: number): string {
  return new Intl.NumberFormat(locale()).format(value);
}

// To make one takes far longer than to use it.
const kForms = new Map<string, Intl.DateTimeFormat>();
function formed(form: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = locale() + JSON.stringify(form);
  let known = kForms.get(key);
  if (!known) {
    known = new Intl.DateTimeFormat(locale(), form);
    kForms.set(key, known);
  }
  return known;
}
function asDate(at: string | number): Date {
  return new Date(at);
}
// Today only the time; else day and time, and the year where it is another one.
export function moment(at: string | number | null | undefined, toSecond = false): string {
  if (at === null || at === undefined) return '–';
  const date = asDate(at);
  const now = new Date();
  const today = now.toDateString() === date.toDateString();
  const form: Intl.DateTimeFormatOptions = { hour: '2-digit', minute: '2-digit', ...(toSecond && { second: '2-digit' }), ...(now.getFullYear() !== date.getFullYear() && { year: 'numeric' }) };
  if (!today) Object.assign(form, { day: 'numeric', month: 'short' });
  return formed(form).format(date);
}
// With the day, also today: for what lies beside another day.
export function momentDated(at: string | number): string {
  return formed({ day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' }).format(asDate(at));
}
export function momentExact(at: string | number | null | undefined): string {
  if (at === null || at === undefined) return '–';
  return formed({ dateStyle: 'medium', timeStyle: 'long' }).format(asDate(at));
}
export function secondsSince(at: string | null | undefined, now = Date.now()): number | null {
  return at ? Math.max(0, (now - asDate(at).getTime()) / 1000) : null;
}
export function secondsUntil(at: string | null | undefined, now = Date.now()): number | null {
  return at ? (asDate(at).getTime() - now) / 1000 : null;
}
