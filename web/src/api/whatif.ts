// POST /v1/whatif: the machine's own past, replayed as it would have gone otherwise.
import { send } from './client';

export interface WhatIfRequest {
  since_s: number;
  add_cards?: string[];
  remove_cards?: number[];
  policy?: string;
  cap_percent?: number;
  without_tenant?: string;
  priority_of?: Record<string, number>;
}
export interface WhatIfFigures {
  average_wait_s: number;
  median_wait_s: number;
  p90_wait_s: number;
  p99_wait_s: number;
  average_completion_s: number;
  utilisation_percent: number;
  preemptions: number;
  makespan_s: number;
}
export interface WhatIfAnswer {
  schema: number;
  jobs: number;
  left_out: number;
  since: string;
  until: string;
  // As people waited; as the replay has it without a change; as it would have been.
  was: WhatIfFigures;
  as_configured: WhatIfFigures;
  would: WhatIfFigures;
  // Jobs that waited at least edges_s[i], and less than the next edge.
  waits: { edges_s: number[]; was: number[]; as_configured: number[]; would: number[] };
  // would_wait_s null: its jobs are left out.
  by_tenant: { tenant: string; jobs: number; was_wait_s: number; as_configured_wait_s: number; would_wait_s: number | null }[];
  moved_most: { job: number; name: string | null; tenant: string; was_wait_s: number; as_configured_wait_s: number; would_wait_s: number }[];
  notes: string[];
}

export async function askWhatIf(question: WhatIfRequest, signal: AbortSignal): Promise<WhatIfAnswer> {
  return (await (await send('POST', '/v1/whatif', question, { signal })).json()) as WhatIfAnswer;
}
