// Weight and quotas of one tenant, with what would change by it.
import { useState } from 'preact/hooks';
import type { Schemas } from '../../../api/client';
import { ChangeDialog } from '../../../parts/ChangeDialog';
import { Field } from '../../../parts/Field';
import { say } from '../../../parts/Notices';
import { useWords } from '../../../words/words';
import { type Form, type Tenant, changesOf, formOf } from './quota';
import { words } from './words';

interface Props {
  name: string;
  tenant: Tenant | null;
  close: () => void;
  done: () => void;
}

export function TenantForm({ name, tenant, close, done }: Props) {
  const w = useWords(words);
  const [before] = useState(() => formOf(tenant));
  const [form, setForm] = useState<Form>(before);
  const body = changesOf(before, form);
  const names: Record<keyof Form, string> = { weight: w.weight, cards: w.cards, vram: w.vramField, running: w.runningJobs, queued: w.queued, gpuHours: w.gpuHoursField, time: w.timeField, priority: w.priority };
  const input = (field: keyof Form, about?: string) => (
    <Field key={field} name={names[field]} about={about}>
      <input inputMode={field === 'gpuHours' ? 'text' : 'decimal'} value={form[field]} placeholder={w.none} onInput={(event) => setForm({ ...form, [field]: event.currentTarget.value })} />
    </Field>
  );
  const plan = (answer: Schemas['Tenants']) => {
    const after = answer.tenants[0];
    const now = formOf(after ?? null);
    const changed = (Object.keys(names) as (keyof Form)[]).filter((field) => now[field] !== before[field]);
    if (!changed.length) return <p>{w.nothing}</p>;
    return <ul>{changed.map((field) => <li key={field}>{w.becomes(names[field], before[field] || w.none, now[field] || w.none)}</li>)}</ul>;
  };
  return (
    <ChangeDialog<Schemas['Tenants']>
      title={w.setOf(name)}
      verb={w.save}
      about={w.setAbout}
      wish={body && { method: 'PATCH', path: `/v1/tenants/${encodeURIComponent(name)}`, body }}
      plan={plan}
      close={close}
      done={() => {
        say(w.done(name));
        done();
      }}
    >
      <div class="fields">
        {input('weight')}
        {input('cards')}
        {input('vram')}
        {input('running')}
        {input('queued')}
        {input('gpuHours', w.gpuHoursAbout)}
        {input('time')}
        {input('priority')}
      </div>
    </ChangeDialog>
  );
}
