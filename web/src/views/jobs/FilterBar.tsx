// What the list is about. Every choice is in the address, so that it can be sent to somebody.
import { useEffect, useRef, useState } from 'preact/hooks';
import { stateWords } from '../../parts/StateMark';
import { kStates } from '../../api/jobs';
import { useWords } from '../../words/words';
import { type Filters, narrowed } from './filters';
import { words } from './words';

interface Props {
  filters: Filters;
  set: (change: Partial<Filters>) => void;
  clear: () => void;
  // A number was typed where a name is looked for.
  openJob: (id: string) => void;
}
type TextFilter = 'name' | 'user' | 'tag' | 'group';

export function FilterBar({ filters, set, clear, openJob }: Props) {
  const w = useWords(words);
  const states = useWords(stateWords) as Record<string, string>;
  const further = filters.user || filters.tag || filters.group || filters.since;
  const [wide, setWide] = useState(Boolean(further));
  const quick = [['', w.all], ['waiting', w.waiting], ['active', w.active], ['ended', w.ended], ['failed', w.failed]] as const;
  const other = !quick.some(([state]) => state === filters.state);
  return (
    <form class="job-filters" role="search" aria-label={w.filters} onSubmit={(event) => event.preventDefault()}>
      <Text name="name" label={w.name} value={filters.name} set={(value) => (/^\d+$/.test(value) ? openJob(value) : set({ name: value }))} />
      <label class="job-filter">
        <span>{w.state}</span>
        <select value={filters.state} onChange={(event) => set({ state: event.currentTarget.value })}>
          {quick.map(([state, word]) => <option key={state} value={state}>{word}</option>)}
          <optgroup label="—">
            {kStates.filter((state) => state !== 'failed').map((state) => <option key={state} value={state}>{states[state]}</option>)}
          </optgroup>
          {other && <option value={filters.state}>{filters.state.split(',').map((one) => states[one] ?? one).join(', ')}</option>}
        </select>
      </label>
      <label class="check"><input type="checkbox" checked={filters.mine} onChange={(event) => set({ mine: event.currentTarget.checked })} /> {w.mine}</label>
      {filters.array === '' && <label class="check"><input type="checkbox" checked={filters.folded} onChange={(event) => set({ folded: event.currentTarget.checked })} /> {w.fold}</label>}
      <button type="button" class="plain" aria-expanded={wide} onClick={() => setWide(!wide)}>{wide ? '▾' : '▸'} {w.moreFilters}</button>
      {narrowed(filters) && <button type="button" class="plain" onClick={clear}>✕ {w.clear}</button>}
      {filters.array && <span class="quiet">{w.arrayOf(filters.array)}</span>}
      {wide && (
        <div class="job-filters-more">
          <Text name="user" label={w.user} value={filters.user} set={(user) => set({ user })} />
          <Text name="tag" label={w.tag} value={filters.tag} set={(tag) => set({ tag })} />
          <Text name="group" label={w.group} value={filters.group} set={(group) => set({ group })} />
          <label class="job-filter">
            <span>{w.since}</span>
            <select value={filters.since} onChange={(event) => set({ since: event.currentTarget.value })}>
              {([['', w.sinceAny], ['1h', w.sinceHour], ['24h', w.sinceDay], ['7d', w.sinceWeek]] as const).map(([since, word]) => <option key={since} value={since}>{word}</option>)}
              {!['', '1h', '24h', '7d'].includes(filters.since) && <option value={filters.since}>{filters.since}</option>}
            </select>
          </label>
        </div>
      )}
    </form>
  );
}

// Asked for when one has stopped typing, or at once with Enter.
function Text({ name, label, value, set }: { name: TextFilter; label: string; value: string; set: (value: string) => void }) {
  const [text, setText] = useState(value);
  const timer = useRef(0);
  useEffect(() => setText(value), [value]);
  useEffect(() => () => window.clearTimeout(timer.current), []);
  const send = (typed: string) => {
    window.clearTimeout(timer.current);
    if (typed.trim() !== value) set(typed.trim());
  };
  return (
    <label class="job-filter">
      <span>{label}</span>
      <input
        type="search"
        data-filter={name}
        value={text}
        autocomplete="off"
        spellcheck={false}
        onInput={(event) => {
          const typed = event.currentTarget.value;
          setText(typed);
          window.clearTimeout(timer.current);
          // A number opens a job: that needs Enter.
          if (name !== 'name' || !/^\d*$/.test(typed) || typed === '') timer.current = window.setTimeout(() => send(typed), 500);
        }}
        onKeyDown={(event) => {
          if (event.key === 'Enter') send(text);
          if (event.key === 'Escape') event.currentTarget.blur();
        }}
      />
    </label>
  );
}
