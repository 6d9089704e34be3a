import { describe, expect, it } from 'vitest';
import type { Planned, Span, TimelineAnswer } from '../../api/timeline';
import { layoutOf, pieceAt, topOf } from './layout';

const at = (hour: number) => new Date(Date.UTC(2026, 0, 15, hour)).toISOString();
const span = (job: number, from: number, until: number | null, more: Partial<Span> = {}) => ({ card: 0, job, attempt: 1, kind: 'run', from: at(from), until: until === null ? null : at(until), state: 'running', cause: null, name: null, user: 'ml1', vram_bytes: 1, whole: false, for_job: null, mechanism: null, ...more }) as Span;
const plan = (job: number, from: number, latest: number | null, until: number | null) => ({ card: 0, job, kind: 'start', from: at(from), latest: latest === null ? null : at(latest), until: until === null ? null : at(until), name: null, user: 'ml1', vram_bytes: 1, whole: false }) as Planned;
const answer = (more: Partial<TimelineAnswer>) => ({ schema: 1, from: at(0), until: at(20), now: at(12), known_since: null, spans: [], planned: [], ends: [], reservations: [], drains: [], alarms: [], left_out: 0, ...more }) as TimelineAnswer;

describe('the timeline', () => {
  it('has a lane for each card, also for empty ones', () => {
    const layout = layoutOf(answer({ spans: [span(1, 1, 2, { card: 3 })] }), [0, 1], null);
    expect(layout.lanes.map((lane) => lane.card)).toEqual([0, 1, 3]);
    expect(layout.lanes[1]?.top).toBe(layout.lanes[0]?.height);
    expect(layoutOf(answer({}), [0, 1], 1).lanes.map((lane) => lane.card)).toEqual([1]);
  });
  it('gives jobs that overlap rows of their own, and a job one row, moves aside and all', () => {
    const layout = layoutOf(answer({ spans: [span(1, 1, 4), span(1, 4, 6, { kind: 'aside' }), span(1, 6, 9), span(2, 4, 6), span(3, 9, 10)] }), [0], null);
    const lane = layout.lanes[0]!;
    expect(lane.rows).toBe(2);
    const rows = (job: number) => [...new Set(lane.pieces.filter((one) => one.job === job).map((one) => one.row))];
    expect([rows(1), rows(2), rows(3)]).toEqual([[0], [1], [0]]);
  });
  it('draws what runs until now, and then until its expected and its latest end', () => {
    const layout = layoutOf(answer({ spans: [span(1, 8, null), span(2, 9, null)], ends: [{ job: 1, expected_end: at(14), latest_end: at(16) }] }), [0], null);
    const pieces = layout.lanes[0]!.pieces;
    expect(pieces.find((one) => one.job === 1 && one.kind === 'now')?.until).toBe(Date.parse(at(12)));
    expect(pieces.find((one) => one.job === 1 && one.kind === 'coming')).toMatchObject({ from: Date.parse(at(12)), until: Date.parse(at(14)), latest: Date.parse(at(16)), endless: false });
    expect(pieces.find((one) => one.job === 2 && one.kind === 'coming')).toMatchObject({ endless: true });
  });
  it('knows the doubt about what is planned', () => {
    const layout = layoutOf(answer({ planned: [plan(5, 13, 15, 17), plan(6, 13, null, null)] }), [0], null);
    const pieces = layout.lanes[0]!.pieces;
    expect(pieces.find((one) => one.job === 5)).toMatchObject({ latestFrom: Date.parse(at(15)), until: Date.parse(at(17)), latest: Date.parse(at(19)) });
    expect(pieces.find((one) => one.job === 6)).toMatchObject({ latestFrom: null, endless: true });
  });
  it('finds what lies under the pointer', () => {
    const layout = layoutOf(answer({ spans: [span(1, 1, 4), span(2, 2, 6)] }), [0], null);
    const lane = layout.lanes[0]!;
    const second = lane.pieces.find((one) => one.job === 2)!;
    expect(pieceAt(layout, Date.parse(at(3)), topOf(lane, second) + 2, 0)?.job).toBe(2);
    expect(pieceAt(layout, Date.parse(at(8)), topOf(lane, second) + 2, 0)).toBeNull();
    expect(pieceAt(layout, Date.parse(at(3)), 4000, 0)).toBeNull();
  });
  it('stays of one size, however many share a card', () => {
    const many = Array.from({ length: 40 }, (_, index) => span(index, 1, 9));
    expect(layoutOf(answer({ spans: many }), [0], null).lanes[0]?.height).toBeLessThan(400);
  });
});
