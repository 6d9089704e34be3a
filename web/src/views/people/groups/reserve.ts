// What a form for a reservation asks of the daemon.
import type { Schemas } from '../../../api/client';

export interface ReserveFields {
  cards: number[];
  count: string;
  // As <input type="datetime-local"> has it: the reader's own time.
  from: string;
  forS: number;
  user: string;
  tenant: string;
  name: string;
  maintenance: boolean;
}
// null while it does not say which cards, or when.
export function reserveRequest(fields: ReserveFields): Schemas['ReserveRequest'] | null {
  const body: Schemas['ReserveRequest'] = { for_s: fields.forS };
  if (fields.cards.length) body.cards = [...fields.cards].sort((a, b) => a - b);
  else if (/^[1-9]\d{0,3}$/.test(fields.count.trim())) body.count = Number(fields.count);
  else return null;
  if (fields.from) {
    const at = new Date(fields.from);
    if (Number.isNaN(at.getTime())) return null;
    body.from = at.toISOString();
  }
  if (fields.name.trim()) body.name = fields.name.trim();
  if (fields.maintenance) body.maintenance = true;
  else if (fields.tenant.trim()) body.tenant = fields.tenant.trim();
  else if (fields.user.trim()) body.user = fields.user.trim();
  return body;
}
