// The log of a job's attempt: a window into it that is read along, followed, searched and linked to.
import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { useKeys } from '../../../app/keys';
import { useChanges } from '../../../api/changes';
import { target as addressOf } from '../../../api/client';
import { say } from '../../../parts/Notices';
import { bytes } from '../../../words/figures';
import { useWords } from '../../../words/words';
import { LogLines, type Target } from './LogLines';
import { LogFeed } from './feed';
import { pathOf } from './source';
import { useSearch } from './useSearch';
import { words } from './words';
import './log.css';

const kHiddenMost = 60_000;
const kWrapKept = 'gpusched.log.wrap';

interface Props {
  job: number;
  attempt: number;
  attempts: number;
  // The attempt that is shown still runs.
  running: boolean;
  hasErrors: boolean;
  stream: 'output' | 'error';
  at: number | null;
  choose: (attempt: number, stream: 'output' | 'error') => void;
}

export function LogView({ job, attempt, attempts, running, hasErrors, stream, at, choose }: Props) {
  const w = useWords(words);
  const [version, draw] = useState(0);
  const [wrap, setWrap] = useState(localStorage.getItem(kWrapKept) === '1');
  const [target, setTarget] = useState<Target | null>(null);
  const input = useRef<HTMLInputElement>(null);
  const feed = useMemo(() => new LogFeed({ job, attempt, stream }, () => draw((count) => count + 1)), [job, attempt, stream]);
  const goTo = useCallback((offset: number) => {
    feed.follow(false);
    void feed.toOffset(offset).then(() => setTarget((last) => ({ offset, turn: (last?.turn ?? 0) + 1, marked: true })));
  }, [feed]);
  const search = useSearch(feed, goTo);

  const toEnd = useCallback(() => void feed.toEnd().then(() => setTarget((last) => ({ offset: Math.max(0, feed.window.to - 1), turn: (last?.turn ?? 0) + 1, marked: false }))), [feed]);
  useEffect(() => {
    setTarget(null);
    if (at !== null) goTo(at);
    else if (running) feed.follow(true);
    else toEnd();
    return () => feed.close();
  }, [feed, at]);
  // An attempt that begins while one looks is followed; one that has ended may have written more.
  useEffect(() => {
    if (running && at === null && feed.window.size === 0) feed.follow(true);
  }, [feed, running]);
  useChanges((change) => change.kind === 'open' && feed.again());
  // A tab that nobody looks at holds no connection for long.
  useEffect(() => {
    let timer = 0;
    let paused = false;
    const hear = () => {
      window.clearTimeout(timer);
      if (document.hidden) {
        timer = window.setTimeout(() => {
          paused = feed.following;
          feed.follow(false);
        }, kHiddenMost);
      } else if (paused) {
        paused = false;
        feed.follow(true);
      }
    };
    document.addEventListener('visibilitychange', hear);
    return () => {
      window.clearTimeout(timer);
      document.removeEventListener('visibilitychange', hear);
    };
  }, [feed]);

  const follow = () => {
    setTarget(null);
    feed.follow(!feed.following);
  };
  const turnWrap = () => {
    localStorage.setItem(kWrapKept, wrap ? '0' : '1');
    setWrap(!wrap);
  };
  useKeys([
    { key: 'f', what: `${w.log}: ${w.follow}`, act: follow },
    { key: 'w', what: `${w.log}: ${w.wrap}`, act: turnWrap },
    { key: '/', what: `${w.log}: ${w.search}`, act: () => input.current?.focus() },
    { key: 'n', what: `${w.log}: ${w.next}`, act: () => void search.step(1) },
    { key: 'N', what: `${w.log}: ${w.before}`, act: () => void search.step(-1) },
    { key: 'g g', what: `${w.log}: ${w.toBegin}`, act: () => goTo(0) },
    { key: 'G', what: `${w.log}: ${w.toEnd}`, act: toEnd },
  ]);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(feed.window.all());
      say(w.copied);
    } catch {
      say(w.copyFailed, true);
    }
  };
  const log = feed.window;
  const note = feed.lost ? w.lost : feed.loading ? w.loading : feed.over && !running ? w.over : '';
  return (
    <section class="panel log" aria-label={w.log}>
      <div class="row apart">
        <h2>{w.log}</h2>
        <div class="row">
          {attempts > 1 && (
            <label>{w.attempt} <select value={attempt} onChange={(event) => choose(Number(event.currentTarget.value), stream)}>{Array.from({ length: attempts }, (_, i) => <option key={i} value={attempts - i}>{attempts - i}</option>)}</select></label>
          )}
          {hasErrors && (
            <label>{w.stream} <select value={stream} onChange={(event) => choose(attempt, event.currentTarget.value as 'output' | 'error')}><option value="output">{w.output}</option><option value="error">{w.error}</option></select></label>
          )}
        </div>
      </div>
      <div class="row log-tools">
        <form class="row log-search" role="search" onSubmit={(event) => { event.preventDefault(); void search.step(1); }}>
          <input ref={input} type="search" aria-label={w.searchHow} placeholder={w.searchHow} value={search.text} onInput={(event) => search.search(event.currentTarget.value)} onKeyDown={(event) => event.key === 'Escape' && event.currentTarget.blur()} />
          <button type="button" aria-label={w.before} title={w.before} disabled={search.text === ''} onClick={() => void search.step(-1)}>↑</button>
          <button aria-label={w.next} title={w.next} disabled={search.text === ''}>↓</button>
        </form>
        {running && <button aria-pressed={feed.following} class={feed.following ? 'on' : ''} onClick={follow}>{w.follow}</button>}
        <button aria-pressed={wrap} class={wrap ? 'on' : ''} onClick={turnWrap}>{w.wrap}</button>
        <button onClick={() => goTo(0)}>⇤ {w.toBegin}</button>
        <button onClick={toEnd}>⇥ {w.toEnd}</button>
        <button class="plain" onClick={() => void copy()}>{w.copy}</button>
        <a class="button plain-link" download={`job-${job}-${attempt}${stream === 'error' ? '-errors' : ''}.log`} href={addressOf(pathOf(feed.name), { attempt, stream })}>{w.download}</a>
      </div>
      <p class="log-says" aria-live="polite">{search.says ? w[search.says] : ''}</p>
      {feed.fault && <p class="bad name" role="alert">{feed.fault}</p>}
      {feed.empty ? <p class="quiet name">{feed.empty}</p> : <LogLines feed={feed} version={version + log.version} wrap={wrap} search={search.text} target={target} stick={feed.following} leave={() => feed.follow(false)} />}
      <p class="quiet number log-foot">
        {log.size > 0 ? w.loaded(bytes(log.from), bytes(log.to), bytes(Math.max(feed.size, log.to))) : feed.empty || feed.loading ? '' : w.nothing} {note && <span>· {note}</span>}
      </p>
    </section>
  );
}
