// The frame around all views: where one can go, how fresh the data is, and the view itself.
import type { ComponentType } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { useWords } from '../words/words';
import { Help } from './Help';
import { Head } from './Head';
import { words } from './words';
import { useKeys } from './keys';
import { type Route, go, useRoute } from './route';
import { askWhoIAm, useSession } from './session';
import { StaleBand, useStale } from './Stale';
import { lazy } from './lazy';
import { Notices } from '../parts/Notices';
import { Overview } from '../views/overview/Overview';
import { Jobs } from '../views/jobs/Jobs';
import { Login } from '../views/login/Login';
import './app.css';

export interface ViewProps {
  route: Route;
}
const kViews: Record<string, ComponentType<ViewProps>> = {
  '': Overview,
  timeline: lazy(() => import('../views/timeline/Timeline').then((found) => found.Timeline)),
  jobs: Jobs,
  job: lazy(() => import('../views/job/JobView').then((found) => found.JobView)),
  sweep: lazy(() => import('../views/job/SweepView').then((found) => found.SweepView)),
  submit: lazy(() => import('../views/submit/Submit').then((found) => found.Submit)),
  whatif: lazy(() => import('../views/whatif/WhatIf').then((found) => found.WhatIf)),
  people: lazy(() => import('../views/people/People').then((found) => found.People)),
};

export function App() {
  const route = useRoute();
  const session = useSession();
  const w = useWords(words);
  const stale = useStale();
  const [helps, setHelps] = useState(false);
  const main = useRef<HTMLElement>(null);
  const name = route.path[0] ?? '';
  const View = (Object.hasOwn(kViews, name) && kViews[name]) || Overview;

  useEffect(() => {
    if (session.state === 'asking') void askWhoIAm();
  }, [session.state]);
  // Who uses a screen reader hears where they are now.
  useEffect(() => {
    main.current?.focus({ preventScroll: true });
    window.scrollTo(0, 0);
  }, [name, route.path[1]]);
  useKeys([
    { key: '?', what: w.keyHelp, act: () => setHelps((shown) => !shown) },
    { key: 'g o', what: w.overview, act: () => go('#/') },
    { key: 'g t', what: w.timeline, act: () => go('#/timeline') },
    { key: 'g j', what: w.jobs, act: () => go('#/jobs') },
    { key: 'g s', what: w.submit, act: () => go('#/submit') },
    { key: 'g w', what: w.whatif, act: () => go('#/whatif') },
    { key: 'g p', what: w.people, act: () => go('#/people') },
  ]);

  if (session.state === 'out') return <Login why={session.why} />;
  if (session.state === 'unreachable') {
    return (
      <main class="alone" role="alert">
        <h1>{w.unreachable}</h1>
        <p>{session.why}</p>
        <button class="main" onClick={() => void askWhoIAm()}>{w.tryAgain}</button>
      </main>
    );
  }
  if (session.state === 'asking') return <main class="alone" aria-busy="true">gpusched</main>;
  return (
    <>
      <a class="skip" href="#main" onClick={(event) => { event.preventDefault(); main.current?.focus(); }}>{w.skip}</a>
      <Head here={name} showHelp={() => setHelps(true)} />
      <StaleBand />
      <main id="main" tabIndex={-1} ref={main} class={stale ? 'stale' : undefined}>
        <View route={route} />
      </main>
      <Notices />
      {helps && <Help close={() => setHelps(false)} />}
    </>
  );
}
