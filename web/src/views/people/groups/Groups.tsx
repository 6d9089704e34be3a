// Named groups of jobs with a limit, and cards that are kept for somebody.
import type { ViewProps } from '../../../app/App';
import { GroupList } from './GroupList';
import { ReservationList } from './ReservationList';
import './groups.css';

export function Groups(_: ViewProps) {
  return (
    <>
      <GroupList />
      <ReservationList />
    </>
  );
}
