// Shares and quotas: what is due to each tenant, what it got, and what it may still have.
import { useState } from 'preact/hooks';
import type { Schemas } from '../../../api/client';
import { useAnswer } from '../../../api/useAnswer';
import type { ViewProps } from '../../../app/App';
import { hrefOf } from '../../../app/route';
import { may, useSession } from '../../../app/session';
import { Asked } from '../../../parts/Asked';
import { ChangeDialog } from '../../../parts/ChangeDialog';
import { say } from '../../../parts/Notices';
import { PairBars } from '../../../parts/PairBars';
import { amount, bytes, percent } from '../../../words/figures';
import { clauses, listed, told } from '../../../words/marks';
import { useWords } from '../../../words/words';
import { gpuHours } from '../report/figures';
import { fold } from '../report/fold';
import { QuotaList } from './QuotaList';
import { TenantForm } from './TenantForm';
import type { Tenant } from './quota';
import { words } from './words';
import './tenants.css';

const kEvery = 10_000;
const kShown = 24;

// Who has most due first; those without a share after them, by name.
export function inOrder(tenants: Tenant[]): Tenant[] {
  return [...tenants].sort((a, b) => (b.share_due ?? -1) - (a.share_due ?? -1) || a.name.localeCompare(b.name));
}

export function Tenants(_: ViewProps) {
  const w = useWords(words);
  const { who } = useSession();
  const answer = useAnswer<Schemas['Tenants']>('/v1/tenants', kEvery);
  const [setting, setSetting] = useState<string | null>(null);
  const [whole, setWhole] = useState(false);
  const [unsetting, setUnsetting] = useState<string | null>(null);
  const maySet = may(who, 'change_tenant');
  return (
    <>
      <p class="quiet">{w.lead}</p>
      <Asked answer={answer}>
        {({ tenants }) => {
          const all = inOrder(tenants);
          const { shown, rest } = fold(all, whole ? all.length : kShown);
          const shares = shown.filter((one) => one.share_due !== null);
          return (
            <>
              {all.length === 0 && <p class="empty">{w.nobody}</p>}
              {shares.length > 0 && (
                <section class="panel">
                  <h2>{w.shares}</h2>
                  <PairBars
                    label={w.shares}
                    series={[w.due, w.got]}
                    unit={(value) => percent(value * 100)}
                    rows={shares.map((one) => ({ key: one.name, name: <bdi>{one.name}</bdi>, values: [one.share_due, one.share_got], note: one.below_share ? `▲ ${w.belowShare}` : undefined }))}
                  />
                </section>
              )}
              <div class="cards-grid">
                {shown.map((one) => (
                  <TenantPanel key={one.name} tenant={one} maySet={maySet} set={() => setSetting(one.name)} unset={() => setUnsetting(one.name)} />
                ))}
              </div>
              {rest.length > 0 && <p class="tenants-default"><button onClick={() => setWhole(true)}>{w.showAll(amount(all.length))}</button></p>}
              {maySet && <p class="tenants-default"><button onClick={() => setSetting('default')}>{w.setDefault}</button></p>}
              {setting !== null && <TenantForm name={setting} tenant={all.find((one) => one.name === setting) ?? null} close={() => setSetting(null)} done={answer.again} />}
              {unsetting !== null && (
                <ChangeDialog<Schemas['Tenants']>
                  title={w.unsetOf(unsetting)}
                  verb={w.unset}
                  about={w.unsetAbout}
                  wish={{ method: 'DELETE', path: `/v1/tenants/${encodeURIComponent(unsetting)}` }}
                  plan={() => <p>{w.unsetAbout}</p>}
                  close={() => setUnsetting(null)}
                  done={() => {
                    say(w.done(unsetting));
                    answer.again();
                  }}
                />
              )}
            </>
          );
        }}
      </Asked>
    </>
  );
}

function TenantPanel({ tenant, maySet, set, unset }: { tenant: Tenant; maySet: boolean; set: () => void; unset: () => void }) {
  const w = useWords(words);
  const jobs = (state: string) => hrefOf('jobs', { state, user: tenant.users.length === 1 ? tenant.users[0] : undefined });
  const wasSet = Object.keys(tenant.set).length > 0;
  return (
    <section class="panel tenant">
      <div class="head-line">
        <h2 class="name"><bdi>{tenant.name}</bdi></h2>
        <span class="quiet">{w.weight} <span class="number">{amount(tenant.weight)}</span></span>
      </div>
      {tenant.users.length > 0 && (tenant.users.length > 1 || tenant.users[0] !== tenant.name) && (
        <p class="quiet name tenant-users"><bdi>{told(w.users, listed(tenant.users))}</bdi></p>
      )}
      <p class="row">
        <a href={jobs('running')}>{w.running(amount(tenant.running))}</a>
        <a href={jobs('waiting')}>{w.waiting(amount(tenant.waiting))}</a>
      </p>
      <p class="quiet">{clauses([w.holds(amount(tenant.cards), bytes(tenant.vram_bytes)), w.used(gpuHours(tenant.usage_gpu_seconds))])}</p>
      {tenant.share_due === null && <p class="quiet">{w.noShare}</p>}
      <QuotaList tenant={tenant} />
      {tenant.projects.length > 0 && (
        <>
          <h3>{w.projects}</h3>
          <PairBars
            label={w.projects}
            series={[w.due, w.got]}
            unit={(value) => percent(value * 100)}
            rows={tenant.projects.map((one) => ({ key: one.name, name: <bdi>{one.name || w.everybodyElse}</bdi>, values: [one.share_due, one.share_got] }))}
          />
        </>
      )}
      {maySet && (
        <div class="row tenant-actions">
          <button onClick={set} aria-label={told(w.set, tenant.name)}>{w.set}</button>
          {wasSet && <button onClick={unset} aria-label={told(w.unset, tenant.name)}>{w.unset}</button>}
          {wasSet && <span class="quiet">{w.setMark}</span>}
        </div>
      )}
    </section>
  );
}
