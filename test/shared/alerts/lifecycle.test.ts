import { describe, expect, it } from 'vitest';
import type { Alert } from '../../../shared/alerts/alert.ts';
import { advance, advanceUnseen, restate } from '../../../shared/alerts/lifecycle.ts';
import type { Evaluation } from '../../../shared/evaluation/evaluation.ts';
import { HOUR_MS } from '../../../shared/units/durations.ts';
import { alertOf, breached, dayAt, evaluationOf, ruleNamed, value } from '../../fixtures/builders.ts';

const rule = (overrides: Record<string, unknown> = {}) => ruleNamed('sales', overrides);

/** Advances one alert through the evaluations. Returns its states and its transitions. */
function run(evaluations: Evaluation[], overrides: Record<string, unknown> = {}) {
  let alert: Alert = alertOf(rule(), { evaluatedThroughAt: 0 });
  const states: string[] = [];
  const notified: string[] = [];
  for (const evaluation of evaluations) {
    const step = advance(alert, evaluation, rule(overrides));
    alert = step.alert;
    states.push(alert.state);
    notified.push(...step.news.map(({ transition }) => `${transition}@${states.length}`));
  }
  return { alert, states, notified };
}

const clear = (day: number) => evaluationOf(day);
const held = (day: number) => evaluationOf(day, { recovered: false });
const stopped = (day: number) => breached(day, { current: value(0) });
const days = (first: number, last: number, of: (day: number) => Evaluation) =>
  Array.from({ length: last - first + 1 }, (_, i) => of(first + i));
const gone = (day: number) =>
  evaluationOf(day, { verdict: 'no-data', current: { value: null, weight: 0 }, recovered: false });
const unknown = (day: number) =>
  evaluationOf(day, {
    verdict: 'inconclusive',
    gates: [{ gate: 'fresh', passed: false, code: 'no-data-yet', figures: {} }],
  });

describe('an alert', () => {
  const KINDS: Record<string, (day: number) => Evaluation> = { b: breached, c: clear, h: held, u: unknown };
  it.each([
    ['fires on the first breach by default', 'b', {}, 'firing', 'fired@1'],
    [
      'is pending until N of M breached',
      'bcb',
      { fire_after: '2 of 3' },
      'pending pending firing',
      'fired@3',
    ],
    ['goes back to normal after far breaches', 'bcc', { fire_after: '2 of 2' }, 'pending pending normal', ''],
    ['notifies once, however long it fires', 'bbb', {}, 'firing firing firing', 'fired@1'],
    ['recovers after N clear windows', 'bcc', {}, 'firing recovering normal', 'fired@1 recovered@3'],
    [
      'falls back to firing when a breach comes while recovering',
      ...['bcbcc', {}, 'firing recovering firing recovering normal', 'fired@1 recovered@5'],
    ],
    ['keeps firing outside the recover bound', 'bhhh', {}, 'firing firing firing firing', 'fired@1'],
    [
      'does not count held windows against the clear ones',
      ...['bchc', {}, 'firing recovering recovering normal', 'fired@1 recovered@4'],
    ],
    [
      'fires again after it recovered',
      ...['bccb', {}, 'firing recovering normal firing', 'fired@1 recovered@3 fired@4'],
    ],
    [
      'recovers when N of the last M windows were clear',
      ...['bcbc', { recover_after: '2 of 3' }, 'firing recovering firing normal', 'fired@1 recovered@4'],
    ],
    ['keeps its state while windows are inconclusive', 'buu', {}, 'firing firing firing', 'fired@1'],
  ] as const)('%s', (_name, windows, overrides, states, notified) => {
    const evaluations = [...windows].map((kind, i) => (KINDS[kind] ?? clear)(i + 1));
    const result = run(evaluations, { ...overrides });
    expect([result.states.join(' '), result.notified.join(' ')]).toEqual([states, notified]);
  });

  it('evaluates a window again only if its data was missing', () => {
    const waiting = run([clear(1), unknown(2)]).alert;
    expect(waiting.evaluatedThroughAt).toBe(clear(1).current.window.endAt);
    expect(advance(waiting, breached(2), rule()).news).toMatchObject([{ transition: 'fired' }]);
    expect(advance(waiting, breached(1), rule()).alert).toBe(waiting);
  });

  it('does not count a window that it fired on towards recovery after restatement', () => {
    const lasting = { fire_after: '2 of 3', recover_after: '2 of 3' };
    const { alert } = run([breached(1), breached(2), breached(3)], lasting);
    const { alert: reread } = restate(alert, clear(2), rule(lasting));
    expect(reread.state).toBe('firing');
    expect(advance(reread, clear(4), rule(lasting)).alert.state).toBe('recovering');
  });

  it('moves past a window without a value and keeps its state', () => {
    const firing = run([breached(1)]).alert;
    const noData = evaluationOf(2, { verdict: 'no-data', current: { value: null, weight: 0 } });
    const { alert } = advance(firing, noData, rule());
    expect(alert).toMatchObject({
      state: 'firing',
      fired: firing.fired,
      evaluatedThroughAt: noData.current.window.endAt,
    });
  });

  it('at 0 is never rebaselined, and recovers when values return', () => {
    const { alert, notified } = run([breached(1), ...days(2, 90, stopped), clear(91), clear(92)]);
    expect(notified).toEqual(['fired@1', 'recovered@92']);
    expect(alert.levelSinceAt).toBeNull();
    expect(run([breached(1), ...days(2, 90, stopped)]).alert.state).toBe('firing');
  });

  it.each([
    [
      'is not rebaselined at one event in twenty days',
      (day: number) => (day % 20 ? stopped(day) : breached(day)),
      [],
    ],
    [
      'is rebaselined at some events on most days',
      (day: number) => (day % 3 ? breached(day) : stopped(day)),
      ['accepted@15'],
    ],
  ])('%s', (_name, of, ended) => {
    const { notified } = run([breached(1), ...days(2, 40, of)]);
    expect(notified.slice(1, 2)).toEqual(ended);
  });

  it.each([
    ['event_name', 'firing'],
    ['device_country', 'firing'],
    ['app_version', 'normal'],
    ['utm', 'normal'],
  ])('of a segment of %s that stays at 0 is %s after a month', (group_by, state) => {
    const { states } = run([breached(1), ...days(2, 30, stopped)], { group_by });
    expect(states.at(-1)).toBe(state);
  });

  it('of a segment at 0 keeps firing when the segment is no longer queried', () => {
    const { alert } = run([breached(1), ...days(2, 5, stopped)]);
    const firing = { ...alert, segment: 'Malta' };
    expect(advanceUnseen(firing, clear(40).current.window, rule()).alert).toBe(firing);
  });

  it('at 0 for longer than the seasonal model remembers recovers above 0', () => {
    const seasonal = { anomaly: 'fall', fire: undefined, compare: { to: 'seasonal' } };
    const inconclusive = (day: number, current: number) =>
      evaluationOf(day, { verdict: 'inconclusive', recovered: false, current: value(current) });
    const dead = [breached(1), ...days(2, 20, stopped)];
    expect(run([...dead, inconclusive(300, 40)], seasonal).notified).toEqual(['fired@1']);
    expect(run([...dead, inconclusive(410, 0)], seasonal).notified).toEqual(['fired@1']);
    const back = [inconclusive(410, 40), inconclusive(411, 45)];
    expect(run([...dead, ...back], seasonal).notified).toEqual(['fired@1', 'recovered@22']);
    // A rule that compares with a window needs no model.
    expect(run([...dead, ...back]).notified).toEqual(['fired@1']);
  });

  it('of a segment that is no longer queried is kept, and recovers in the end', () => {
    const firing = { ...run([breached(1)]).alert, segment: 'Malta' };
    const early = advanceUnseen(firing, clear(2).current.window, rule());
    expect(early.alert).toBe(firing);
    const late = advanceUnseen(firing, clear(20).current.window, rule());
    expect(late).toMatchObject({
      news: [{ transition: 'recovered' }],
      alert: { state: 'normal', fired: null },
    });
  });

  it('of a segment that vanished while pending returns to normal', () => {
    const twice = rule({ fire_after: '2 of 2' });
    const pending = advance(
      { ...alertOf(twice, { evaluatedThroughAt: 0 }), segment: 'Malta' },
      breached(1),
      twice,
    ).alert;
    const after = [2, 3, 4, 5].reduce((alert, day) => advance(alert, gone(day), twice).alert, pending);
    expect(after).toMatchObject({ state: 'normal', suspected: null });
  });

  it('of an hourly segment is kept through a night, and recovers after a day', () => {
    const hourly = rule({ every: 'hour at :15' });
    const { alert } = run([breached(1)]);
    const hour = (i: number) => ({
      startAt: alert.evaluatedThroughAt + i * HOUR_MS,
      endAt: alert.evaluatedThroughAt + (i + 1) * HOUR_MS,
    });
    const stateAfter = (hours: number) =>
      Array.from({ length: hours }, (_, i) => ({
        ...gone(2),
        current: { ...gone(2).current, window: hour(i) },
      })).reduce<Alert>((each, evaluation) => advance(each, evaluation, hourly).alert, {
        ...alert,
        segment: 'Malta',
      }).state;
    expect([stateAfter(23), stateAfter(25)]).toEqual(['firing', 'normal']);
  });

  it('of a pending segment that is no longer queried returns to normal', () => {
    const twice = rule({ fire_after: '2 of 2' });
    const pending = { ...run([breached(1)], { fire_after: '2 of 2' }).alert, segment: 'Malta' };
    const { alert, news } = advanceUnseen(pending, clear(2).current.window, twice);
    expect(news).toEqual([]);
    expect(alert).toMatchObject({
      state: 'normal',
      suspected: null,
      evaluatedThroughAt: clear(2).current.window.endAt,
    });
    expect(advance(alert, breached(3), twice).alert.state).toBe('pending');
  });

  it('records exactly the spans in which it fired as incidents', () => {
    const { alert } = run([breached(1), held(2), clear(3), clear(4), breached(5), clear(6)]);
    expect(alert.incidents).toEqual([
      { startAt: breached(1).current.window.startAt, endAt: held(2).current.window.endAt },
      breached(5).current.window,
    ]);
  });

  it('that fires within an incident of an earlier rule version extends it', () => {
    const incidents = [
      { startAt: breached(1).current.window.startAt, endAt: breached(3).current.window.endAt },
    ];
    const { alert } = advance(alertOf(rule(), { incidents, evaluatedThroughAt: 0 }), breached(3), rule());
    expect(advance(alert, breached(4), rule()).alert.incidents).toEqual([
      { startAt: breached(1).current.window.startAt, endAt: breached(4).current.window.endAt },
    ]);
  });

  it('records the baseline, window and direction that it fired on', () => {
    expect(run([breached(1), breached(2)]).alert.fired).toMatchObject({
      windowEndAt: breached(1).current.window.endAt,
      firstEndAt: breached(1).current.window.endAt,
      baseline: { value: 100, weight: null, window: dayAt(0), origin: { of: 'window' } },
      direction: 'down',
      fromRevision: 0,
      gap: null,
    });
  });
});
