// A new token: for whom, with which role, until when.
import { useState } from 'preact/hooks';
import type { Schemas, WhoAmI } from '../../../api/client';
import { may } from '../../../app/session';
import { ChangeDialog } from '../../../parts/ChangeDialog';
import { Field } from '../../../parts/Field';
import { duration, moment } from '../../../words/figures';
import { roleText } from '../../../words/roles';
import { useWords } from '../../../words/words';
import { words } from './words';

export const kRoles = ['viewer', 'user', 'operator', 'admin'] as const;
export type Role = (typeof kRoles)[number];
const kDay = 86_400;
const kEnds = [1, 7, 30, 90, 365].map((days) => days * kDay);

// One gives at most what one has.
export function rolesUpTo(role: string): Role[] {
  const most = kRoles.indexOf(role as Role);
  return kRoles.slice(0, Math.max(1, most + 1));
}

interface Props {
  who: WhoAmI;
  close: () => void;
  done: (made: Schemas['MadeToken']) => void;
}
export function TokenForm({ who, close, done }: Props) {
  const w = useWords(words);
  const roles = rolesUpTo(who.role);
  const [name, setName] = useState('');
  const [user, setUser] = useState('');
  const [tenant, setTenant] = useState('');
  const [role, setRole] = useState<Role>(roles.includes('user') ? 'user' : 'viewer');
  const [end, setEnd] = useState(90 * kDay);
  const about: Record<Role, string> = { viewer: w.viewer, user: w.userRole, operator: w.operator, admin: w.admin };
  const body: Schemas['TokenRequest'] = { role, expires_s: end, name: name.trim() || null };
  if (user.trim()) body.user = user.trim();
  if (tenant.trim()) body.tenant = tenant.trim();
  return (
    <ChangeDialog<Schemas['MadeToken']>
      title={w.make}
      about={w.makeAbout}
      wish={{ method: 'POST', path: '/v1/tokens', body }}
      plan={(answer) => (
        <>
          <p class="name">{w.would(answer.token.user, roleText(answer.token.role), answer.token.expires_at ? w.expiresAt(moment(answer.token.expires_at)) : w.expiresNever)}</p>
          {answer.warnings?.map((one) => <p key={one} class="warn name">{one}</p>)}
        </>
      )}
      close={close}
      done={done}
    >
      <div class="fields">
        <Field name={w.name}><input value={name} maxLength={255} placeholder={w.nameHint} onInput={(event) => setName(event.currentTarget.value)} /></Field>
        <Field name={w.role}>
          <select value={role} onChange={(event) => setRole(event.currentTarget.value as Role)}>
            {roles.map((one) => <option key={one} value={one}>{about[one]}</option>)}
          </select>
        </Field>
        <Field name={w.expires}>
          <select value={String(end)} onChange={(event) => setEnd(Number(event.currentTarget.value))}>
            {kEnds.map((one) => <option key={one} value={String(one)}>{w.after(duration(one))}</option>)}
            <option value="0">{w.never}</option>
          </select>
        </Field>
        {may(who, 'tokens', '') && <Field name={w.user}><input value={user} maxLength={255} placeholder={who.user} autocomplete="off" onInput={(event) => setUser(event.currentTarget.value)} /></Field>}
        <Field name={w.tenant} about={w.tenantAbout}><input value={tenant} maxLength={255} autocomplete="off" onInput={(event) => setTenant(event.currentTarget.value)} /></Field>
      </div>
    </ChangeDialog>
  );
}
