// Where a job would run if one does not say it: where one's last one did.
import { type JobDetails, type Schemas, get } from '../../api/client';

const kKept = 'gpusched.directory.';

export function keepDirectory(user: string, directory: string): void {
  try {
    localStorage.setItem(kKept + user, directory);
  } catch {
    // A browser that keeps nothing asks the daemon the next time.
  }
}
export function keptDirectory(user: string): string | null {
  try {
    return localStorage.getItem(kKept + user);
  } catch {
    return null;
  }
}

// null: it is not told, or is no whole path.
export function directoryOf(job: Pick<JobDetails, 'working_directory'> | undefined): string | null {
  return job?.working_directory?.startsWith('/') ? job.working_directory : null;
}
// null: there is no job of one's own, or its directory is not told.
export async function usualDirectory(user: string, signal: AbortSignal): Promise<string | null> {
  const kept = keptDirectory(user);
  if (kept) return kept;
  try {
    const newest = (await get<Schemas['JobList']>('/v1/jobs', { mine: true, newest: 1 }, signal)).jobs[0];
    if (!newest) return null;
    return directoryOf((await get<Schemas['JobDetailsList']>(`/v1/jobs/${newest.id}`, {}, signal)).jobs[0]);
  } catch {
    // It is only an offer: one types it then.
    return null;
  }
}
