// One change of one group: what it is called, and what it means for the jobs of the group.
import { useState } from 'preact/hooks';
import type { Schemas } from '../../../api/client';
import { ChangeDialog, type Wish } from '../../../parts/ChangeDialog';
import { Field } from '../../../parts/Field';
import { say } from '../../../parts/Notices';
import { amount } from '../../../words/figures';
import { isolated } from '../../../words/marks';
import { useWords } from '../../../words/words';
import { groupText } from './GroupList';
import { words } from './words';

export type GroupVerb = 'make' | 'pause' | 'resume' | 'limit' | 'remove';
interface Props {
  verb: GroupVerb;
  group: Schemas['Group'] | null;
  close: () => void;
  done: () => void;
}

export function GroupChange({ verb, group, close, done }: Props) {
  const w = useWords(words);
  const [name, setName] = useState(group ? groupText(group) : '');
  const [limit, setLimit] = useState(String(group?.limit ?? 4));
  const path = `/v1/groups/${encodeURIComponent(name.trim())}`;
  const number = /^\d{1,7}$/.test(limit.trim()) ? Number(limit) : null;
  const limitText = (value: number) => (value > 0 ? w.limitOf(amount(value)) : w.noLimit);
  const named = name.trim() !== '';
  const shown = isolated(name);
  const wishes: Record<GroupVerb, Wish | null> = {
    make: named && number !== null ? { method: 'PUT', path, body: { limit: number } } : null,
    limit: number !== null && number !== group?.limit ? { method: 'PUT', path, body: { limit: number } } : null,
    pause: { method: 'PUT', path, body: { paused: true } },
    resume: { method: 'PUT', path, body: { paused: false } },
    remove: { method: 'DELETE', path, query: group?.paused ? { resume: 1 } : {} },
  };
  const titles: Record<GroupVerb, string> = { make: w.make, limit: w.limitTitle(shown), pause: w.pauseOf(shown), resume: w.resumeOf(shown), remove: w.removeOf(shown) };
  const verbs: Record<GroupVerb, string> = { make: w.make, limit: w.setLimit, pause: w.pause, resume: w.resume, remove: w.remove };
  const plan = (answer: Schemas['Groups']) => {
    const after = answer.groups[0];
    if (verb === 'remove') return <p>{w.removeAbout(amount(answer.waiting ?? 0))}</p>;
    if (verb === 'pause') return <p>{w.pauseAbout(amount(after?.running ?? 0))}</p>;
    if (verb === 'resume') return <p>{w.resumeAbout(amount(after?.waiting ?? 0))}</p>;
    if (verb === 'limit') return <p>{w.limitAbout(limitText(group?.limit ?? 0), limitText(after?.limit ?? 0))}</p>;
    return <p class="name">{w.makeAbout(isolated(after ? groupText(after) : name), limitText(after?.limit ?? 0))}</p>;
  };
  return (
    <ChangeDialog<Schemas['Groups']>
      title={titles[verb]}
      verb={verbs[verb]}
      danger={verb === 'remove'}
      wish={wishes[verb]}
      plan={plan}
      close={close}
      done={() => {
        say(verb === 'remove' ? w.groupGone(shown) : w.groupDone(shown));
        done();
      }}
    >
      {(verb === 'make' || verb === 'limit') && (
        <div class="fields">
          {verb === 'make' && <Field name={w.name}><input value={name} maxLength={255} onInput={(event) => setName(event.currentTarget.value)} /></Field>}
          <Field name={w.limit} about={w.limitField}><input inputMode="numeric" value={limit} onInput={(event) => setLimit(event.currentTarget.value)} /></Field>
        </div>
      )}
    </ChangeDialog>
  );
}
