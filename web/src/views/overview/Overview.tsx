// The first view: who holds what, what comes next and why.
import type { ViewProps } from '../../app/App';
import { useMachine } from '../../api/machine';
import { useKeys } from '../../app/keys';
import { useWords } from '../../words/words';
import { Cards } from './Cards';
import { Happened } from './Happened';
import { Queue } from './Queue';
import { Problems, TopLine } from './TopLine';
import { UnderWay } from './UnderWay';
import { words } from './words';
import './overview.css';
import './cards.css';
import './queue.css';

export function Overview(_: ViewProps) {
  const w = useWords(words);
  const machine = useMachine();
  // These two are done by the rows and the cards themselves; the list of keys names them.
  useKeys([
    { key: '↵', what: w.keyOpen, act: () => undefined },
    { key: '← →', what: w.keyFigures, act: () => undefined },
  ]);
  return (
    <div class="overview">
      <h1 class="hidden-words">{w.title}</h1>
      <TopLine machine={machine} />
      <Problems machine={machine} />
      <Cards machine={machine} />
      <div class="overview-columns">
        <div class="overview-main">
          <Queue machine={machine} />
          <UnderWay machine={machine} />
        </div>
        <Happened happenings={machine.happenings} />
      </div>
    </div>
  );
}
