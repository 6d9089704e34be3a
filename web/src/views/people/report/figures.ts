// Figures that only reports have.
import { amount } from '../../../words/figures';
import { locale } from '../../../words/words';

export function gpuHours(seconds: number | null | undefined): string {
  if (seconds === null || seconds === undefined) return '–';
  const hours = seconds / 3600;
  return amount(hours >= 100 ? Math.round(hours) : hours >= 10 ? Math.round(hours * 10) / 10 : Math.round(hours * 100) / 100);
}
// 3.6 MJ are a kWh, which is what a bill has.
export function energy(joules: number | null | undefined): string {
  if (joules === null || joules === undefined) return '–';
  const wh = joules / 3600;
  return wh >= 1000 ? `${amount(Math.round(wh / 10) / 100)} kWh` : `${amount(Math.round(wh * 10) / 10)} Wh`;
}
export function money(value: number | null | undefined, currency: string | undefined): string {
  if (value === null || value === undefined) return '–';
  if (currency && /^[A-Z]{3}$/.test(currency)) {
    return new Intl.NumberFormat(locale(), { style: 'currency', currency }).format(value);
  }
  const number = new Intl.NumberFormat(locale(), { minimumFractionDigits: 2, maximumFractionDigits: 2 }).format(value);
  return currency ? `${number} ${currency}` : number;
}
// "2026-11-03" as "3 Nov": it is a day of UTC, whatever the reader's zone.
export function dayName(day: string): string {
  const at = Date.parse(`${day}T00:00:00Z`);
  return Number.isNaN(at) ? day : new Intl.DateTimeFormat(locale(), { day: 'numeric', month: 'short', timeZone: 'UTC' }).format(at);
}
