// What was done with the cards, by whom, what it cost and who waited for it.
import { useAnswer } from '../../../api/useAnswer';
import { target } from '../../../api/client';
import type { ViewProps } from '../../../app/App';
import { go, hrefOf } from '../../../app/route';
import { Asked } from '../../../parts/Asked';
import { useWords } from '../../../words/words';
import { Period, queryOf, readAsked } from './Period';
import { ReportBody } from './ReportBody';
import type { Report as ReportAnswer } from './fold';
import { words } from './words';
import './report.css';

export function Report({ route }: ViewProps) {
  const w = useWords(words);
  const asked = readAsked(route.query);
  const answer = useAnswer<ReportAnswer>(target('/v1/report', queryOf(asked)));
  return (
    <>
      <Period asked={asked} set={(next) => go(hrefOf('people/report', { since: next.since, until: next.until || undefined, by: next.by }), true)} />
      <Asked answer={answer}>
        {(report) => (report.total.jobs === 0 && report.rows.length === 0 ? <p class="empty">{w.nothing}</p> : <ReportBody report={report} />)}
      </Asked>
    </>
  );
}
