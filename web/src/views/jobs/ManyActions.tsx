// What can be done with all that is selected. The daemon is asked first what it would do.
import { useState } from 'preact/hooks';
import { VerbDialog } from '../../parts/VerbDialog';
import { type Verb, fits, kVerbs, verbWords } from '../../parts/verbs';
import { amount } from '../../words/figures';
import { useWords } from '../../words/words';
import { words } from './words';

export interface Selected {
  // How many jobs are meant; null: all that match.
  count: number | null;
  selector: string;
  query?: Record<string, string>;
  // The states that are among them; null: any may be.
  states: Set<string> | null;
}
interface Props {
  selected: Selected;
  mayChange: boolean;
  // Not all that match are loaded, or selected.
  takeAll: (() => void) | null;
  clear: () => void;
}

export function ManyActions({ selected, mayChange, takeAll, clear }: Props) {
  const w = useWords(words);
  const verbs = useWords(verbWords);
  const [verb, setVerb] = useState<Verb | null>(null);
  const useful = (one: Verb) => selected.states === null || [...selected.states].some((state) => fits(one, state));
  return (
    <div class="job-many" role="region" aria-label={w.act}>
      <strong>{selected.count === null ? w.selectedAll : w.selected(amount(selected.count))}</strong>
      {mayChange ? kVerbs.filter(useful).map((one) => <button key={one} class={one === 'cancel' ? 'danger' : ''} onClick={() => setVerb(one)}>{verbs[one]}</button>) : <span class="quiet">{w.noRights}</span>}
      {takeAll && <button class="plain" onClick={takeAll}>{w.takeAll}</button>}
      <button class="plain" onClick={clear}>{w.unselect}</button>
      {verb && <VerbDialog verb={verb} selector={selected.selector} {...(selected.query ? { query: selected.query } : {})} close={() => setVerb(null)} />}
    </div>
  );
}
