// Groups: how many of their jobs run at once, and what one may change of them.
import { useState } from 'preact/hooks';
import type { Schemas } from '../../../api/client';
import { useMachine } from '../../../api/machine';
import { useAnswer } from '../../../api/useAnswer';
import { hrefOf } from '../../../app/route';
import { may, useSession } from '../../../app/session';
import { Asked } from '../../../parts/Asked';
import { amount } from '../../../words/figures';
import { clauses, told } from '../../../words/marks';
import { useWords } from '../../../words/words';
import { GroupChange, type GroupVerb } from './GroupChange';
import { words } from './words';

const kEvery = 10_000;
type Group = Schemas['Group'];

export function groupText(group: Group): string {
  return group.owner ? `${group.owner}/${group.name}` : group.name;
}

export function GroupList() {
  const w = useWords(words);
  const { who } = useSession();
  const { link } = useMachine();
  const answer = useAnswer<Schemas['Groups']>('/v1/groups', link === 'live' ? kEvery : 0);
  const [verb, setVerb] = useState<{ verb: GroupVerb; group: Group | null } | null>(null);
  const owner = (group: Group) => group.owner ?? '';
  return (
    <section>
      <div class="head-line">
        <h2>{w.groups}</h2>
        {may(who, 'change_group') && <button onClick={() => setVerb({ verb: 'make', group: null })}>{w.make}</button>}
      </div>
      <p class="quiet">{w.groupsLead}</p>
      <Asked answer={answer}>
        {({ groups }) => (
          <>
            {groups.length === 0 && <p class="empty">{w.noGroups}</p>}
            <ul class="plain-list">
              {groups.map((group) => {
                const name = groupText(group);
                const act = (one: GroupVerb) => () => setVerb({ verb: one, group });
                return (
                  <li key={name} class="group-line">
                    <span class="group-words">
                      <span class="row"><b class="name"><bdi>{name}</bdi></b> {group.paused && <span class="mark warn"><span aria-hidden="true">‖</span> {w.paused}</span>}</span>
                      <span>{told(group.limit > 0 ? w.limitOf(amount(group.limit)) : w.noLimit, '')}<a href={hrefOf('jobs', { group: name })}>{clauses([w.running(amount(group.running)), w.waiting(amount(group.waiting))])}</a></span>
                      {group.owner && <span class="quiet name">{w.ownedBy(group.owner)}</span>}
                    </span>
                    <span class="row">
                      {may(who, 'change_group', owner(group)) && (
                        <>
                          <button onClick={act(group.paused ? 'resume' : 'pause')} aria-label={group.paused ? w.resumeOf(name) : w.pauseOf(name)}>{group.paused ? w.resume : w.pause}</button>
                          <button onClick={act('limit')} aria-label={w.limitTitle(name)}>{w.setLimit}</button>
                        </>
                      )}
                      {may(who, 'remove_group', owner(group)) && <button class="danger" onClick={act('remove')} aria-label={w.removeOf(name)}>{w.remove}</button>}
                    </span>
                  </li>
                );
              })}
            </ul>
          </>
        )}
      </Asked>
      {verb && <GroupChange verb={verb.verb} group={verb.group} close={() => setVerb(null)} done={answer.again} />}
    </section>
  );
}
