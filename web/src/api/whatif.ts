// POST /v1/whatif: the machine's own past, replayed as it would have gone otherwise.
import { type Schemas, send } from './client';

export type WhatIfRequest = Schemas['WhatIfRequest'];
export type WhatIfAnswer = Schemas['WhatIf'];
export type WhatIfFigures = Schemas['WhatIfMeasures'];

export async function askWhatIf(question: WhatIfRequest, signal: AbortSignal): Promise<WhatIfAnswer> {
  return (await (await send('POST', '/v1/whatif', question, { signal })).json()) as WhatIfAnswer;
}
