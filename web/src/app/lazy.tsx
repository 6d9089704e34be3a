// A view that comes when it is asked for first, so that the first look at the page stays light.
import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { useWords } from '../words/words';
import type { ViewProps } from './App';
import { words } from './words';

type View = ComponentType<ViewProps>;
// A quick answer shows no placeholder at all: a flash is worse than a short wait.
const kCalm = 200;

export function lazy(load: () => Promise<View>): View {
  let view: View | null = null;
  return function Lazy(props: ViewProps) {
    const w = useWords(words);
    const [turn, again] = useState(0);
    const [failed, setFailed] = useState(false);
    const [late, setLate] = useState(false);
    useEffect(() => {
      if (view) return undefined;
      let shown = true;
      setFailed(false);
      const timer = window.setTimeout(() => shown && setLate(true), kCalm);
      load().then(
        (found) => {
          view = found;
          if (shown) again((count) => count + 1);
        },
        () => shown && setFailed(true),
      );
      return () => {
        shown = false;
        window.clearTimeout(timer);
      };
    }, [turn]);
    if (view) {
      const View = view;
      return <View {...props} />;
    }
    if (failed) {
      return (
        <div class="panel" role="alert">
          <p>{w.viewMissing}</p>
          <p class="row">
            <button class="main" onClick={() => again((count) => count + 1)}>{w.tryAgain}</button>
            <button onClick={() => location.reload()}>{w.reload}</button>
          </p>
        </div>
      );
    }
    return (
      <div class="to-come" aria-busy="true">
        {late && <p class="quiet" role="status">{w.coming}</p>}
        {late && <div class="to-come-shape" aria-hidden="true" />}
      </div>
    );
  };
}
