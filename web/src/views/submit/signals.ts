// Names of signals on Linux.
const kSignals: Record<string, number> = { HUP: 1, INT: 2, QUIT: 3, ABRT: 6, KILL: 9, USR1: 10, USR2: 12, ALRM: 14, TERM: 15, CONT: 18, STOP: 19, TSTP: 20 };

export function signalNumber(name: string): number | null {
  if (/^\d+$/.test(name)) return Number(name) >= 1 && Number(name) <= 64 ? Number(name) : null;
  return kSignals[name.toUpperCase().replace(/^SIG/, '')] ?? null;
}
export function signalName(number: number): string {
  return Object.entries(kSignals).find(([, one]) => one === number)?.[0] ?? String(number);
}
