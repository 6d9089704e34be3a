// A field of the form: its name, what may stand in it, and what is wrong with it.
import { useWords } from '../../words/words';
import type { Draft, Field as Name } from './draft';
import { words } from './words';

export interface FormPart {
  draft: Draft;
  set: (change: Partial<Draft>) => void;
  // What is wrong, in words: of what is typed, or as the daemon said it.
  faults: Partial<Record<Name, string>>;
}
type TextName = { [K in Name]: Draft[K] extends string ? K : never }[Name];
type SwitchName = { [K in Name]: Draft[K] extends boolean ? K : never }[Name];

interface Props {
  part: FormPart;
  name: TextName;
  label: string;
  hint?: string;
  kind?: 'text' | 'lines' | 'moment';
  rows?: number;
  list?: string[];
  wide?: boolean;
  mono?: boolean;
}
export function Field({ part, name, label, hint, kind = 'text', rows = 2, list, wide, mono }: Props) {
  const fault = part.faults[name];
  const id = `job-${name}`;
  const said = [hint ? `${id}-hint` : '', fault ? `${id}-fault` : ''].filter(Boolean).join(' ');
  const common = {
    id,
    value: part.draft[name],
    'aria-invalid': Boolean(fault),
    autocomplete: 'off',
    spellcheck: false,
    class: mono ? 'mono' : '',
    ...(said ? { 'aria-describedby': said } : {}),
    onInput: (event: Event) => part.set({ [name]: (event.currentTarget as HTMLInputElement).value }),
  };
  return (
    <div class={wide ? 'form-field wide' : 'form-field'}>
      <label for={id}>{label}</label>
      {kind === 'lines' ? <textarea {...common} rows={rows} /> : <input {...common} type={kind === 'moment' ? 'datetime-local' : 'text'} {...(list ? { list: `${id}-list` } : {})} />}
      {list && <datalist id={`${id}-list`}>{list.map((one) => <option key={one} value={one} />)}</datalist>}
      {fault && <p class="form-fault name" id={`${id}-fault`}><span aria-hidden="true">! </span>{fault}</p>}
      {hint && <p class="form-hint" id={`${id}-hint`}>{hint}</p>}
    </div>
  );
}

export function Switch({ part, name, label }: { part: FormPart; name: SwitchName; label: string }) {
  return <label class="check form-check"><input type="checkbox" checked={part.draft[name]} onChange={(event) => part.set({ [name]: event.currentTarget.checked })} /> {label}</label>;
}

export function Choice({ part, name, label, choices }: { part: FormPart; name: TextName; label: string; choices: [string, string][] }) {
  const id = `job-${name}`;
  return (
    <div class="form-field">
      <label for={id}>{label}</label>
      <select id={id} value={part.draft[name]} onChange={(event) => part.set({ [name]: event.currentTarget.value })}>
        {choices.map(([value, word]) => <option key={value} value={value}>{word}</option>)}
      </select>
    </div>
  );
}

// All that is not needed at first sight.
export function MoreFields({ part }: { part: FormPart }) {
  const w = useWords(words);
  const field = (name: TextName, label: string, hint?: string) => <Field part={part} name={name} label={label} {...(hint ? { hint } : {})} />;
  return (
    <div class="form-more">
      <fieldset>
        <legend>{w.sweep}</legend>
        <Field part={part} name="params" label={w.params} hint={w.paramsHint} kind="lines" rows={3} wide mono />
        {field('array', w.array, w.arrayHint)}
      </fieldset>
      <fieldset>
        <legend>{w.cards}</legend>
        {field('share', w.share)}{field('onlyCards', w.onlyCards, w.onlyCardsHint)}{field('avoidCards', w.avoidCards)}{field('cardType', w.cardType, w.cardTypeHint)}{field('vramLimit', w.vramLimit, w.vramLimitHint)}
        {field('cpus', w.cpus)}{field('ram', w.ram, w.ramHint)}
        <Choice part={part} name="cpuUse" label={w.cpuUse} choices={[['never', w.cpuNever], ['prefer', w.cpuPrefer], ['fallback', w.cpuFallback]]} />
        <Switch part={part} name="exclusive" label={w.exclusive} />
      </fieldset>
      <fieldset>
        <legend>{w.queue}</legend>
        <Field part={part} name="priority" label={w.priority} hint={w.priorityHint} list={['idle', 'low', 'normal', 'high', 'urgent']} />
        {field('after', w.after, w.afterHint)}{field('group', w.group)}{field('project', w.project)}{field('tags', w.tags, w.tagsHint)}
        <Field part={part} name="begin" label={w.begin} kind="moment" /><Field part={part} name="expire" label={w.expire} kind="moment" /><Field part={part} name="deadline" label={w.deadline} kind="moment" />
        <Field part={part} name="notify" label={w.notify} hint={w.notifyHint} kind="lines" />
        {field('comment', w.comment)}
        <Switch part={part} name="hold" label={w.hold} />
      </fieldset>
      <fieldset>
        <legend>{w.life}</legend>
        {field('retries', w.retries)}{field('retryOn', w.retryOn, w.retryOnHint)}{field('backOff', w.backOff)}{field('checkpoint', w.checkpoint, w.checkpointHint)}{field('signal', w.signal, w.signalHint)}{field('grace', w.grace, w.graceHint)}
        <Choice part={part} name="preempt" label={w.preempt} choices={[['auto', w.preemptAuto], ['cooperative', w.preemptCooperative], ['never', w.preemptNever]]} />
        <Switch part={part} name="restartable" label={w.restartable} />
      </fieldset>
      <fieldset>
        <legend>{w.surroundings}</legend>
        <Choice part={part} name="shell" label={w.shell} choices={[['auto', w.shellAuto], ['yes', w.shellYes], ['no', w.shellNo]]} />
        {field('shellProgram', w.shellProgram)}{field('output', w.output, w.outputHint)}{field('error', w.error)}
        <Field part={part} name="env" label={w.env} hint={w.envHint} kind="lines" rows={5} wide mono />
      </fieldset>
    </div>
  );
}
