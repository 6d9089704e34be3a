// What a tenant may have, what of it is left, and what a form asks to be set.
import type { Schemas } from '../../../api/client';

export type Tenant = Schemas['Tenant'];
export interface Left {
  key: 'cards' | 'vram_bytes' | 'running' | 'queued' | 'gpu_hours';
  used: number;
  most: number;
  left: number;
}

// "200/week" is 200 hours in a week; null is no quota, or one that this page does not understand.
export function readGpuHours(text: string | null | undefined): { hours: number; period: string } | null {
  const found = /^(\d+(?:\.\d+)?)\s*\/\s*([a-z0-9]+)$/.exec(text ?? '');
  return found ? { hours: Number(found[1]), period: found[2] ?? '' } : null;
}

export function whatIsLeft(tenant: Tenant): Left[] {
  const { quota } = tenant;
  const hours = readGpuHours(quota.gpu_hours);
  const rows: [Left['key'], number, number | null | undefined][] = [
    ['cards', tenant.cards, quota.cards],
    ['vram_bytes', tenant.vram_bytes, quota.vram_bytes],
    ['running', tenant.running, quota.running],
    ['queued', tenant.waiting, quota.queued],
    ['gpu_hours', tenant.gpu_hours_used ?? 0, hours?.hours],
  ];
  return rows.flatMap(([key, used, most]) => (most === null || most === undefined ? [] : [{ key, used, most, left: Math.max(0, most - used) }]));
}

export interface Form {
  weight: string;
  cards: string;
  vram: string;
  running: string;
  queued: string;
  gpuHours: string;
  time: string;
  priority: string;
}
const kGiB = 1024 ** 3;
const text = (value: number | null | undefined) => (value === null || value === undefined ? '' : String(value));
// As far as a person would write it: 2.5, not 2.4999999.
const short = (value: number) => Number(value.toFixed(3));

export function formOf(tenant: Tenant | null): Form {
  const quota = tenant?.quota;
  return {
    weight: text(tenant?.weight ?? 1),
    cards: text(quota?.cards),
    vram: quota?.vram_bytes === null || quota?.vram_bytes === undefined ? '' : text(short(quota.vram_bytes / kGiB)),
    running: text(quota?.running),
    queued: text(quota?.queued),
    gpuHours: quota?.gpu_hours ?? '',
    time: quota?.time_limit_s === null || quota?.time_limit_s === undefined ? '' : text(short(quota.time_limit_s / 3600)),
    priority: text(quota?.highest_priority),
  };
}

// Only what differs is sent; an empty field lifts the limit. null: something is no number.
export function changesOf(before: Form, after: Form): Schemas['TenantRequest'] | null {
  const body: Record<string, number | string> = {};
  const take = (field: keyof Form, name: string, whole: boolean, scale = 1) => {
    const given = after[field].trim();
    if (given === before[field]) return true;
    if (given === '') {
      if (name === 'weight') return false;
      body[name] = 'none';
      return true;
    }
    const value = Number(given) * scale;
    if (!Number.isFinite(value) || value < 0 || (whole && scale === 1 && !Number.isInteger(value))) return false;
    body[name] = scale === 1 ? value : Math.round(value);
    return true;
  };
  const good =
    take('weight', 'weight', false) &&
    take('cards', 'cards', true) &&
    take('vram', 'vram_bytes', true, kGiB) &&
    take('running', 'running', true) &&
    take('queued', 'queued', true) &&
    take('time', 'time_limit_s', true, 3600) &&
    take('priority', 'highest_priority', true);
  if (!good) return null;
  const hours = after.gpuHours.trim();
  if (hours !== before.gpuHours) body['gpu_hours'] = hours === '' ? 'none' : hours;
  return Object.keys(body).length ? (body as Schemas['TenantRequest']) : null;
}
