// A form for a job that says while one types when it would start. Whatever it sends can be said on
// the command line as well, and stands there.
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { ViewProps } from '../../app/App';
import { go } from '../../app/route';
import { may, useSession } from '../../app/session';
import { type Schemas, get, newKey, send } from '../../api/client';
import { sayFault, say } from '../../parts/Notices';
import { amount } from '../../words/figures';
import { useWords } from '../../words/words';
import { CommandLine } from './CommandLine';
import { Field, type FormPart, MoreFields } from './Field';
import { Preview, PreviewShort } from './Preview';
import { bodyOf, fieldOf } from './body';
import { commandLine } from './commandLine';
import { type Draft, type Field as Name, draftOf, keepDraft, kEmpty, keptDraft } from './draft';
import { keepDirectory, usualDirectory } from './directory';
import { FileFault, readFile } from './jobFile';
import { usePreview } from './usePreview';
import { words } from './words';
import './submit.css';

const kFirst: readonly Name[] = ['command', 'cwd', 'name', 'gpus', 'vram', 'time'];
// Of a sweep the preview needs the first jobs only.
const kPreviewed = 3;

function usesMore(draft: Draft): boolean {
  return (Object.keys(kEmpty) as Name[]).some((name) => !kFirst.includes(name) && name !== 'shell' && draft[name] !== kEmpty[name]);
}

export function Submit({ route }: ViewProps) {
  const w = useWords(words);
  const { who } = useSession();
  const [draft, setDraft] = useState<Draft>(keptDraft);
  const [more, setMore] = useState(() => usesMore(draft));
  const [touched, setTouched] = useState(false);
  const [refusal, setRefusal] = useState<{ field: Name | null; message: string } | null>(null);
  const [busy, setBusy] = useState(false);
  const [done, setDone] = useState<Schemas['Submitted'] | null>(null);
  const [left, setLeft] = useState<string[]>([]);
  const [like, setLike] = useState<string | null>(null);
  // The same content is submitted once, however often the button is hit.
  const key = useRef(newKey());
  const sending = useRef(false);
  const result = useRef<HTMLElement>(null);

  const set = (change: Partial<Draft>) => {
    key.current = newKey();
    setRefusal(null);
    setDone(null);
    setDraft((last) => ({ ...last, ...change }));
  };
  useEffect(() => keepDraft(draft), [draft]);
  const from = route.query.get('from');
  const asksVram = route.query.get('vram');
  useEffect(() => {
    if (from === null) return undefined;
    const end = new AbortController();
    get<Schemas['JobDetailsList']>(`/v1/jobs/${encodeURIComponent(from)}`, {}, end.signal).then(
      (list) => {
        const job = list.jobs[0];
        if (!job) return;
        const next = { ...draftOf(job), ...(asksVram ? { vram: asksVram } : {}) };
        set(next);
        setMore(usesMore(next));
        setLike(from);
        go('#/submit', true);
      },
      (fault) => !end.signal.aborted && sayFault(fault),
    );
    return () => end.abort();
  }, [from]);

  // Only into a field that nobody has typed into.
  const blank = draft.cwd === '' && from === null && who !== null && may(who, 'act');
  const offered = useRef(false);
  const [cleared, setCleared] = useState(0);
  useEffect(() => {
    if (!blank || offered.current) return undefined;
    offered.current = true;
    const end = new AbortController();
    void usualDirectory(who.user, end.signal).then((directory) => {
      if (directory && !end.signal.aborted) setDraft((last) => (last.cwd === '' ? { ...last, cwd: directory } : last));
    });
    return () => end.abort();
  }, [blank, cleared]);

  const read = useMemo(() => bodyOf(draft, kPreviewed), [draft]);
  const wrong = Object.keys(read.faults) as Name[];
  const preview = usePreview(wrong.length === 0 ? read.body : null);
  const said = refusal ?? (preview.fault ? { field: fieldOf(preview.fault), message: preview.fault } : null);
  const faults: FormPart['faults'] = {};
  for (const name of wrong) {
    // What is empty is not wrong before one has tried to submit.
    const fault = read.faults[name];
    if (fault && (fault !== 'needed' || touched)) faults[name] = w[`fault_${fault}`];
  }
  if (said?.field && !faults[said.field]) faults[said.field] = said.message;
  const part: FormPart = { draft, set, faults };

  const submit = async (event: Event) => {
    event.preventDefault();
    setTouched(true);
    if (sending.current) return;
    if (wrong.length > 0) {
      if (wrong.some((name) => !kFirst.includes(name))) setMore(true);
      window.requestAnimationFrame(() => document.getElementById(`job-${wrong[0] ?? ''}`)?.focus());
      return;
    }
    sending.current = true;
    setBusy(true);
    try {
      const answer = await send('POST', '/v1/jobs', bodyOf(draft).body, { key: key.current });
      setDone((await answer.json()) as Schemas['Submitted']);
      if (who) keepDirectory(who.user, draft.cwd.trim());
      setTouched(false);
      window.requestAnimationFrame(() => result.current?.focus());
    } catch (fault) {
      const message = fault instanceof Error ? fault.message : String(fault);
      const field = fieldOf(message);
      if (field && !kFirst.includes(field)) setMore(true);
      setRefusal({ field, message });
    }
    sending.current = false;
    setBusy(false);
  };
  const takeFile = async (file: File | undefined) => {
    if (!file) return;
    try {
      const { draft: next, left: unknown } = readFile(await file.text());
      set({ ...next, cwd: next.cwd || draft.cwd });
      setMore(usesMore(next));
      setLeft(unknown);
      setLike(null);
    } catch (fault) {
      say(fault instanceof FileFault ? (w[`file_${fault.kind}`] as (line: string) => string)(String(fault.line ?? '')) : w.fileUnreadable, true);
    }
  };
  const startOver = () => {
    set(kEmpty);
    offered.current = false;
    setCleared((count) => count + 1);
    setLeft([]);
    setLike(null);
    setTouched(false);
  };
  if (!may(who, 'act')) return <><h1>{w.title}</h1><p class="panel">{w.noRights}</p></>;
  const count = read.count ?? preview.answer?.count ?? null;
  return (
    <div class="submit">
      <div class="row apart">
        <h1>{w.title}</h1>
        <div class="row">
          {like && <span class="quiet">{w.fromJob(like)}</span>}
          <label class="button file-button">{w.fromFile}<input type="file" class="hidden-words" onChange={(event) => { void takeFile(event.currentTarget.files?.[0]); event.currentTarget.value = ''; }} /></label>
          <button type="button" class="plain" onClick={startOver}>{w.startOver}</button>
        </div>
      </div>
      {left.length > 0 && <p class="warn">! {w.left(left.join(', '))}</p>}
      <div class="submit-columns">
        <form class="panel" noValidate onSubmit={(event) => void submit(event)}>
          <Field part={part} name="command" label={w.command} hint={w.commandHint} kind="lines" rows={draft.command.includes('\n') ? 8 : 3} wide mono />
          <div class="form-grid">
            <Field part={part} name="cwd" label={w.cwd} hint={w.cwdHint} mono />
            <Field part={part} name="name" label={w.name} />
            <Field part={part} name="vram" label={w.vram} hint={w.vramHint} list={['4G', '8G', '16G', '24G', '40G', '80G']} />
            <Field part={part} name="gpus" label={w.gpus} hint={w.gpusHint} list={['1', '2', '4', 'all', '0']} />
            <Field part={part} name="time" label={w.time} hint={w.timeHint} list={['1h', '4h', '12h', '1d', '2d']} />
          </div>
          <button type="button" class="plain form-opener" aria-expanded={more} onClick={() => setMore(!more)}>{more ? `▾ ${w.less}` : `▸ ${w.more}`}</button>
          {more && <MoreFields part={part} />}
          {said && !said.field && refusal && <p class="bad name" role="alert">! {said.message}</p>}
          {touched && wrong.length > 0 && <p class="bad" role="alert">{w.faulty}</p>}
          <p class="row submit-row"><button class="main submit-button" disabled={busy || done !== null}>{busy ? w.submitting : count !== null && count > 1 ? w.submitMany(amount(count)) : w.submit}</button>{preview.answer && <PreviewShort answer={preview.answer} held={draft.hold} />}</p>
          {done && <Done done={done} place={result} another={() => { key.current = newKey(); setDone(null); }} />}
        </form>
        <div class="submit-side">
          <Preview state={preview} count={read.count} held={draft.hold} fix={set} placed={said?.field != null} />
          <CommandLine line={commandLine(draft)} />
        </div>
      </div>
    </div>
  );
}

function Done({ done, place, another }: { done: Schemas['Submitted']; place: { current: HTMLElement | null }; another: () => void }) {
  const w = useWords(words);
  return (
    <section class="submit-done" tabIndex={-1} ref={place} role="status">
      <p><strong><span aria-hidden="true">✓ </span>{done.count === 1 ? w.done(done.first) : w.doneMany(done.first, done.last, amount(done.count))}</strong> {done.repeated && w.repeated}</p>
      {done.warning && <p class="warn name">! {done.warning}</p>}
      <p class="row">{done.count === 1 ? <a class="button" href={`#/job/${done.first}`}>{w.openJob(done.first)}</a> : <a class="button" href={`#/sweep/${done.first}`}>{w.openSweep}</a>}<button type="button" class="plain" onClick={another}>{w.another}</button></p>
    </section>
  );
}
