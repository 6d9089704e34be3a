// The names of the columns; those that the daemon can sort by are buttons. On a narrow screen one
// choice says the order instead.
import { useMedia } from '../../parts/useMedia';
import { useWords } from '../../words/words';
import type { Filters, Sort } from './filters';
import { words } from './words';

interface Props {
  filters: Filters;
  set: (change: Partial<Filters>) => void;
  loaded: 'none' | 'some' | 'all';
  takeLoaded: () => void;
}

export function HeadRow({ filters, set, loaded, takeLoaded }: Props) {
  const w = useWords(words);
  const narrow = useMedia('(max-width: 760px)');
  const columns: [string, string, Sort | null][] = [
    ['id', w.id, 'id'],
    ['state', w.state, 'state'],
    ['name', w.columnName, 'name'],
    ['user', w.user, 'user'],
    ['priority', w.priorityShort, 'priority'],
    ['cards', w.cards, null],
    ['need', w.need, null],
    ['time', w.time, 'started_at'],
    ['submitted', w.submitted, 'submitted_at'],
    ['why', w.why, null],
  ];
  const sort = (by: Sort) => set(filters.sort === by ? { down: !filters.down } : { sort: by, down: by !== 'name' && by !== 'user' && by !== 'state' });
  const pick = (
    <label class="pick">
      <input type="checkbox" aria-label={w.selectAll} checked={loaded === 'all'} ref={(box) => { if (box) box.indeterminate = loaded === 'some'; }} onChange={takeLoaded} />
    </label>
  );
  if (narrow) {
    const sorts: [Sort, string][] = [['id', w.sortId], ['priority', w.priority], ['state', w.state], ['user', w.user], ['submitted_at', w.sortSubmitted], ['started_at', w.sortStarted], ['ended_at', w.sortEnded]];
    return (
      <div role="rowgroup">
        <div role="row" class="job-head narrow">
          <div role="columnheader" aria-label={w.select}>{pick}</div>
          <div role="columnheader">
            <label>{w.sort} <select value={filters.sort} onChange={(event) => set({ sort: event.currentTarget.value as Sort })}>{sorts.map(([by, word]) => <option key={by} value={by}>{word}</option>)}</select></label>
            <button class="plain" aria-label={w.turn} onClick={() => set({ down: !filters.down })}>{filters.down ? '↓' : '↑'}</button>
          </div>
        </div>
      </div>
    );
  }
  return (
    <div role="rowgroup" class="job-head-place">
      <div role="row" class="job-row job-head">
        <div role="columnheader" class="cell c-pick" aria-label={w.select}>{pick}</div>
        {columns.map(([name, word, by]) => (
          <div key={name} role="columnheader" class={`cell c-${name}`} {...(by ? { 'aria-sort': by !== filters.sort ? 'none' : filters.down ? 'descending' : 'ascending' } : {})}>
            {by ? <button class="plain sort" onClick={() => sort(by)}>{word}<span aria-hidden="true">{by === filters.sort ? (filters.down ? ' ↓' : ' ↑') : ''}</span></button> : word}
          </div>
        ))}
      </div>
    </div>
  );
}
