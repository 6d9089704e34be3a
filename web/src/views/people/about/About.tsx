// Who one is, which daemon this is, and what it complains of.
import { Fragment } from 'preact';
import type { Schemas } from '../../../api/client';
import { useMachine } from '../../../api/machine';
import { useAnswer } from '../../../api/useAnswer';
import type { ViewProps } from '../../../app/App';
import { useSession } from '../../../app/session';
import { Asked } from '../../../parts/Asked';
import { duration, momentExact, secondsSince } from '../../../words/figures';
import { listed } from '../../../words/marks';
import { roleText } from '../../../words/roles';
import { useWords } from '../../../words/words';
import { words } from './words';

const kEvery = 30_000;

export function About(_: ViewProps) {
  const w = useWords(words);
  const { who } = useSession();
  const { link } = useMachine();
  const answer = useAnswer<Schemas['Version']>('/v1/version', kEvery);
  const proofs = { peer: w.peer, token: w.token, cookie: w.cookie };
  const links = { live: w.live, connecting: w.connecting, lost: w.lost };
  const facts = (rows: [string, string][]) => (
    <dl class="facts">
      {rows.map(([name, value]) => (
        <Fragment key={name}>
          <dt>{name}</dt>
          <dd class="name"><bdi>{value}</bdi></dd>
        </Fragment>
      ))}
    </dl>
  );
  return (
    <Asked answer={answer}>
      {(version) => (
        <>
          <section class={version.problems.length ? 'panel about-problems' : ''}>
            <h2>{w.problems}</h2>
            {version.problems.length === 0 && <p><span aria-hidden="true" class="good">✓ </span>{w.noProblems}</p>}
            <ul>{version.problems.map((one) => <li key={one} class="name">{one}</li>)}</ul>
            <p class="quiet">{w.more}</p>
          </section>
          <div class="cards-grid">
            <section class="panel">
              <h2>{w.daemon}</h2>
              {facts([
                [w.version, version.version],
                [w.since, w.sinceText(momentExact(version.started_at), duration(secondsSince(version.started_at)))],
                [w.cards, version.cards_from],
                [w.state, version.state_directory],
                [w.process, String(version.pid)],
                // Daemons before these fields say neither.
                ...(version.addresses?.length ? [[w.addresses, listed(version.addresses)] as [string, string]] : []),
                ...(version.socket ? [[w.socket, version.socket] as [string, string]] : []),
              ])}
            </section>
            {who && (
              <section class="panel">
                <h2>{w.you}</h2>
                {facts([
                  [w.user, who.user],
                  [w.role, roleText(who.role)],
                  [w.tenant, who.tenant],
                  [w.proof, proofs[who.proof] + (who.token_name ? ` (${who.token_name})` : '')],
                  [w.until, who.expires_at ? momentExact(who.expires_at) : w.open],
                ])}
              </section>
            )}
            <section class="panel">
              <h2>{w.page}</h2>
              {facts([
                [w.link, links[link]],
                [w.zone, Intl.DateTimeFormat().resolvedOptions().timeZone],
              ])}
            </section>
          </div>
        </>
      )}
    </Asked>
  );
}
