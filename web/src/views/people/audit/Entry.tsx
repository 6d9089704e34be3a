// One change: when, who, what, how and from where, and what came of it.
import type { Schemas } from '../../../api/client';
import { amount, moment, momentExact } from '../../../words/figures';
import { clauses } from '../../../words/marks';
import { roleText } from '../../../words/roles';
import { useWords } from '../../../words/words';
import { operationText } from './operations';
import { words } from './words';

const kLooks: Record<string, [string, string]> = { done: ['✓', 'good'], refused: ['✕', 'bad'], failed: ['✕', 'bad'], interrupted: ['!', 'warn'], begun: ['▷', 'quiet'] };

export function Entry({ entry }: { entry: Schemas['AuditEntry'] }) {
  const w = useWords(words);
  const results = w as unknown as Record<string, string>;
  const [sign, look] = kLooks[entry.result] ?? ['?', 'quiet'];
  const proof = entry.token ? w.tokenId(entry.token) : entry.proof === 'socket' ? w.socket : ((entry.proof && results[entry.proof]) ?? entry.proof ?? w.nobody);
  const from = entry.from === 'this machine' ? w.fromHere : w.from(entry.from);
  const bad = entry.result === 'refused' || entry.result === 'failed';
  return (
    <li class={`audit-entry ${bad ? 'refused' : ''}`}>
      <time class="number quiet" dateTime={entry.at} title={momentExact(entry.at)}>{moment(entry.at, true)}</time>
      <span class="name audit-who"><bdi>{entry.user ?? (entry.uid === null ? w.nobody : String(entry.uid))}</bdi>{entry.role && <span class="quiet"> {roleText(entry.role)}</span>}</span>
      <span class="audit-what name">
        <b>{operationText(entry.operation)}</b>{entry.target && <> <bdi>{entry.target}</bdi></>}
        {entry.summary && <span class="quiet"> <bdi>{entry.summary}</bdi></span>}
      </span>
      <span class={`mark ${look}`}>
        <span aria-hidden="true">{sign}</span> {results[entry.result] ?? entry.result}
        {entry.code && <code>{entry.code}</code>}
        {entry.times > 1 && <span class="number">({w.times(amount(entry.times))})</span>}
      </span>
      <span class="quiet audit-how name">{clauses([proof, from, entry.pid !== null && w.pid(entry.pid)])}</span>
    </li>
  );
}
