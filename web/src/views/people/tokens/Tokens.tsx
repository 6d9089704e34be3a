// Tokens: who may act as whom without an account, and the end of that.
import { useState } from 'preact/hooks';
import type { Schemas } from '../../../api/client';
import { useAnswer } from '../../../api/useAnswer';
import type { ViewProps } from '../../../app/App';
import { useSession } from '../../../app/session';
import { Asked } from '../../../parts/Asked';
import { ChangeDialog } from '../../../parts/ChangeDialog';
import { say } from '../../../parts/Notices';
import { amount, moment, momentExact } from '../../../words/figures';
import { clauses, isolated } from '../../../words/marks';
import { roleText } from '../../../words/roles';
import { useWords } from '../../../words/words';
import { fold } from '../report/fold';
import { Secret } from './Secret';
import { TokenForm } from './TokenForm';
import { words } from './words';
import './tokens.css';

type Token = Schemas['Token'];
const kShown = 100;

export function Tokens(_: ViewProps) {
  const w = useWords(words);
  const { who } = useSession();
  const answer = useAnswer<Schemas['Tokens']>('/v1/tokens');
  const [whole, setWhole] = useState(false);
  const [making, setMaking] = useState(false);
  const [secret, setSecret] = useState<string | null>(null);
  const [revoking, setRevoking] = useState<Token | null>(null);
  // The daemon refuses it to whoever came with a token or a login.
  const byAccount = who?.proof === 'peer';
  return (
    <>
      <p class="quiet">{w.lead}</p>
      {byAccount ? <p><button class="main" onClick={() => setMaking(true)}>{w.make}</button></p> : <p class="quiet">{w.onlyHere}</p>}
      <Asked answer={answer}>
        {({ tokens }) => (
          <>
            {tokens.length === 0 && <p class="empty">{w.none}</p>}
            <ul class="plain-list">
              {fold(tokens, whole ? tokens.length : kShown).shown.map((token) => (
                <li key={token.id} class={`token ${token.expired ? 'quiet' : ''}`}>
                  <div class="token-words">
                    <span class="row"><b class="name"><bdi>{token.name ?? token.id}</bdi></b> <code class="quiet">{token.id}</code> {token.id === who?.token && <span class="mark">{w.this}</span>} {token.expired && <span class="mark warn"><span aria-hidden="true">!</span> {w.expired}</span>}</span>
                    <span class="name"><bdi>{clauses([w.of(token.user), roleText(token.role), token.tenant])}</bdi></span>
                    <span class="quiet" title={momentExact(token.made_at)}>
                      {clauses([w.made(moment(token.made_at), token.by), token.used_at ? w.used(moment(token.used_at)) : w.unused, token.expires_at ? w.expiresAt(moment(token.expires_at)) : w.expiresNever])}
                    </span>
                  </div>
                  {byAccount && <button class="danger" onClick={() => setRevoking(token)} aria-label={w.revokeOf(token.name ?? token.id)}>{w.revoke}</button>}
                </li>
              ))}
            </ul>
            {!whole && fold(tokens, kShown).rest.length > 0 && <p><button onClick={() => setWhole(true)}>{w.showAll(amount(tokens.length))}</button></p>}
          </>
        )}
      </Asked>
      {making && who && (
        <TokenForm
          who={who}
          close={() => setMaking(false)}
          done={(made) => {
            setSecret(made.secret);
            answer.again();
          }}
        />
      )}
      {secret !== null && <Secret secret={secret} close={() => setSecret(null)} />}
      {revoking && (
        <ChangeDialog<Schemas['Tokens']>
          title={w.revokeOf(isolated(revoking.name ?? revoking.id))}
          verb={w.revoke}
          danger
          about={w.revokeAbout}
          wish={{ method: 'DELETE', path: `/v1/tokens/${encodeURIComponent(revoking.id)}` }}
          plan={() => <p class="name">{w.revokes(isolated(revoking.name ?? revoking.id), revoking.user)}</p>}
          close={() => setRevoking(null)}
          done={() => {
            say(w.revoked(isolated(revoking.name ?? revoking.id)));
            answer.again();
          }}
        />
      )}
    </>
  );
}
