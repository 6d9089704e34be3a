// Asks before a job, or many, are changed: what it means, what the daemon says it would do.
import { useState } from 'preact/hooks';
import { useWords } from '../words/words';
import { ActionDialog } from './ActionDialog';
import { type Verb, bandOf, kAbout, verbWords } from './verbs';

interface Props {
  verb: Verb;
  // "7-12", or "all" with filters in `query`.
  selector: string;
  query?: Record<string, string>;
  priority?: number;
  close: () => void;
  done?: () => void;
}
export function VerbDialog({ verb, selector, query, priority = 50, close, done }: Props) {
  const w = useWords(verbWords);
  const [wanted, setWanted] = useState(priority);
  const path = `/v1/jobs/${encodeURIComponent(selector)}`;
  const about = w[kAbout[verb]];
  const filters = query ? { query } : {};
  if (verb !== 'priority') {
    const action = { title: w[verb], method: 'POST', path: `${path}/${verb}`, body: {}, danger: verb === 'cancel', about, ...filters };
    return <ActionDialog action={action} close={close} {...(done ? { done } : {})} />;
  }
  const action = { title: w.priority, method: 'PATCH', path, body: { priority: wanted }, about, ...filters };
  return (
    <ActionDialog action={action} close={close} {...(done ? { done } : {})}>
      <p class="row">
        <label for="new-priority">{w.newPriority}</label>
        <input
          id="new-priority"
          type="number"
          min={0}
          max={100}
          value={wanted}
          onInput={(event) => {
            const number = event.currentTarget.valueAsNumber;
            if (number >= 0 && number <= 100) setWanted(Math.round(number));
          }}
        />
        <span class="quiet">{w[bandOf(wanted)]}</span>
      </p>
    </ActionDialog>
  );
}
