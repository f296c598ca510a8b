import { describe, expect, it } from 'vitest';
import type { Alert, Answer, Step } from '../../../shared/alerts/alert.ts';
import {
  type Answered,
  answerAlert,
  answersTo,
  firingSince,
  type Refusal,
  type Reply,
} from '../../../shared/alerts/answers.ts';
import { advanceApp, newAppAlert } from '../../../shared/alerts/app-alert.ts';
import { advance, restate } from '../../../shared/alerts/lifecycle.ts';
import type { Reason } from '../../../shared/evaluation/reason.ts';
import { buildRule, type Rule, ruleSetEntrySchema } from '../../../shared/rules/rule.ts';
import { DAY_MS, HOUR_MS } from '../../../shared/units/durations.ts';
import { alertOf, breached, dayAt, evaluationOf, MONDAY, ruleNamed, value } from '../../fixtures/builders.ts';

const RULE = ruleNamed('sales', { recover_after: '1 of 1' });
const AT = MONDAY + DAY_MS + HOUR_MS;

/** It fired on Monday. */
const fired = (rule: Rule = RULE): Alert => advance(alertOf(rule), breached(0), rule).alert;

function reply(alert: Alert, answer: Answer, overrides: Partial<Reply> = {}): Reply {
  const author = { by: 'Anna', at: AT, reason: 'looking at it' };
  return { answer, ...author, firedWindowEndAt: firingSince(alert) ?? 0, link: null, ...overrides };
}

function step(answered: Answered): Step {
  if (answered.kind === 'refused') throw new Error(answered.refusal.code);
  return answered.step;
}

const answered = (alert: Alert, answer: Answer, rule: Rule | undefined = RULE): Step =>
  step(answerAlert(alert, reply(alert, answer), rule));

const refusalOf = (answered: Answered) => (answered.kind === 'refused' ? answered.refusal : undefined);

describe('an answer', () => {
  const snoozed = { by: 'Anna', at: AT, reason: 'looking at it' };
  const BY = { by: 'Anna', note: 'looking at it' };
  it.each<[Answer, Partial<Alert>, Reason[]]>([
    ['acknowledge', { state: 'firing', acknowledged: snoozed }, [{ code: 'acknowledged', ...BY }]],
    [
      'snooze-1h',
      { state: 'firing', snoozed: { ...snoozed, untilAt: AT + HOUR_MS } },
      [{ code: 'snoozed', ...BY, untilAt: AT + HOUR_MS }],
    ],
    [
      'snooze-1d',
      { state: 'firing', snoozed: { ...snoozed, untilAt: AT + DAY_MS } },
      [{ code: 'snoozed', ...BY, untilAt: AT + DAY_MS }],
    ],
    [
      'snooze-1w',
      { state: 'firing', snoozed: { ...snoozed, untilAt: AT + 7 * DAY_MS } },
      [{ code: 'snoozed', ...BY, untilAt: AT + 7 * DAY_MS }],
    ],
    [
      'snooze-until-recovered',
      { state: 'firing', snoozed: { ...snoozed, untilAt: null } },
      [{ code: 'snoozed', ...BY, untilAt: null }],
    ],
    [
      'accept',
      { state: 'normal', fired: null, incidents: [], levelSinceAt: MONDAY },
      [{ code: 'level-accepted', ...BY }],
    ],
    [
      'holiday',
      { state: 'normal', fired: null, incidents: [dayAt(0)], excusedUntilAt: MONDAY + DAY_MS },
      [{ code: 'marked-as-holiday', ...BY }],
    ],
    ['incident', { state: 'firing', incidents: [dayAt(0)] }, []],
  ])('%s updates the alert, returns its news and is recorded', (answer, becomes, reasons) => {
    const { alert, news } = answered(fired(), answer);
    expect(alert).toMatchObject(becomes);
    expect(news.map(({ reason }) => reason)).toEqual(reasons);
    const record = { answer, by: 'Anna', at: AT, reason: 'looking at it' };
    expect(alert.answers).toEqual([{ ...record, firedWindowEndAt: MONDAY + DAY_MS, link: null }]);
  });

  it('is kept among the last ten, newest first', () => {
    let alert = fired();
    for (let i = 0; i < 12; i++)
      alert = step(answerAlert(alert, reply(alert, 'snooze-1h', { reason: `${i}` }), RULE)).alert;
    expect(alert.answers.map(({ reason }) => reason)).toEqual('11 10 9 8 7 6 5 4 3 2'.split(' '));
  });

  it('that acknowledges again is refused, and names who acknowledged first', () => {
    const { alert } = answered(fired(), 'acknowledge');
    const again = (by: string) => refusalOf(answerAlert(alert, reply(alert, 'acknowledge', { by }), RULE));
    const already = { code: 'acknowledged-already', by: 'Anna', acknowledgedAt: AT };
    expect(again('Ben')).toEqual({ ...already, isOwn: false });
    expect(again('Anna')).toEqual({ ...already, isOwn: true });
  });
});

describe('an acknowledgement and a snooze', () => {
  const kept = answered(answered(fired(), 'acknowledge').alert, 'snooze-until-recovered').alert;

  it.each<[string, Step]>([
    ['recovers', advance(kept, evaluationOf(1), RULE)],
    ['is retracted', restate(kept, evaluationOf(0), RULE)],
    ['is accepted', answered(kept, 'accept')],
    ['is excused', answered(kept, 'holiday')],
  ])('end when the alert %s, and stay recorded', (_, { alert }) => {
    expect(alert).toMatchObject({ fired: null, acknowledged: null, snoozed: null });
    expect(alert.answers.map(({ answer }) => answer)).toEqual(
      expect.arrayContaining(['snooze-until-recovered', 'acknowledge']),
    );
  });
});

describe('an answer that comes too late', () => {
  const shown = reply(fired(), 'snooze-1h');
  const late = (alert: Alert) => refusalOf(answerAlert(alert, shown, RULE));
  const recovered = advance(fired(), evaluationOf(1), RULE).alert;
  const refired = advance(recovered, breached(2), RULE).alert;
  const sent = {
    transition: 'retracted',
    channel: 'team',
    windowEndAt: MONDAY + DAY_MS,
    sentAt: AT,
  } as const;

  it.each<[string, Alert, Refusal]>([
    ['the alert recovered', recovered, { code: 'ended', sinceAt: Date.UTC(2026, 2, 4) }],
    ['the alert fired again', refired, { code: 'fires-again', sinceAt: Date.UTC(2026, 2, 5) }],
    [
      'somebody accepted the level',
      answered(fired(), 'accept').alert,
      { code: 'ended-by-answer', by: 'Anna', answer: 'accept' },
    ],
    [
      'the alert was retracted',
      { ...restate(fired(), evaluationOf(0), RULE).alert, sent: [sent] },
      { code: 'retracted' },
    ],
  ])('is refused because %s', (_, alert, refusal) => {
    expect(late(alert)).toEqual(refusal);
  });

  it('gives the reason for the fire that it answers, not for an earlier one', () => {
    const history = [
      { ...sent, transition: 'fired', windowEndAt: MONDAY + 3 * DAY_MS } as const,
      { ...sent, firedWindowEndAt: MONDAY + DAY_MS },
    ];
    const over = { ...advance(refired, evaluationOf(3), RULE).alert, sent: history };
    const about = (firedWindowEndAt: number) =>
      refusalOf(answerAlert(over, { ...shown, firedWindowEndAt }, RULE));
    expect(about(MONDAY + 3 * DAY_MS)).toEqual({
      code: 'ended',
      sinceAt: Date.UTC(2026, 2, 6),
    });
    expect(about(MONDAY + DAY_MS)).toEqual({ code: 'retracted' });
  });

  it('is refused when the fire was retracted and its window fired again', () => {
    const before = { ...fired(), revision: 1 };
    const again = restate(
      { ...restate(before, evaluationOf(0), RULE).alert, revision: 2 },
      breached(0),
      RULE,
    );
    const of = { fire: before.fired?.fromRevision };
    expect(firingSince(again.alert)).toBe(MONDAY + DAY_MS);
    expect(refusalOf(answerAlert(again.alert, { ...shown, ...of }, RULE))).toMatchObject({
      code: 'fires-again',
    });
    expect(answerAlert(before, { ...shown, ...of }, RULE).kind).toBe('answered');
  });
});

describe('a holiday', () => {
  it('excuses breaches until the end of that day in the zone of the rule', () => {
    const hourly = ruleNamed('hourly', { every: 'hour', window: 'hour', zone: 'America/New_York' });
    const hour = (n: number) => ({ startAt: MONDAY + n * HOUR_MS, endAt: MONDAY + (n + 1) * HOUR_MS });
    // 13:00 in UTC is 08:00 in New York, whose day ends at 05:00 in UTC.
    const alert = advance(alertOf(hourly), breached(0, { current: { window: hour(13) } }), hourly).alert;
    let { alert: now } = answered(alert, 'holiday', hourly);
    const states: string[] = [];
    for (let n = 14; n <= 29; n++) {
      const { alert: next } = advance(now, breached(0, { current: { window: hour(n) } }), hourly);
      states.push(next.state);
      now = next;
    }
    expect(states.indexOf('firing')).toBe(states.length - 1);
  });

  describe('marked on the next morning', () => {
    const hourly = ruleNamed('hourly', { every: 'hour', window: 'hour', recover_after: '1 of 1' });
    const hour = (n: number) => ({ startAt: MONDAY + n * HOUR_MS, endAt: MONDAY + (n + 1) * HOUR_MS });
    const evaluated = (n: number, amount = 40) =>
      breached(0, { current: { ...value(amount), window: hour(n) } });
    let alert = alertOf(hourly);
    for (let n = 10; n <= 31; n++) alert = advance(alert, evaluated(n), hourly).alert;
    const next = answered(alert, 'holiday', hourly).alert;

    it('covers the day of the window that fired', () => {
      expect(next.excusedUntilAt).toBe(MONDAY + DAY_MS);
      expect(advance(next, evaluated(32), hourly).alert.state).toBe('firing');
    });

    it('does not suppress an outage or its recovery', () => {
      const held = { ...next, evaluatedThroughAt: MONDAY + 11 * HOUR_MS };
      expect(advance(held, evaluated(12), hourly).news).toEqual([]);
      const out = advance(held, evaluated(12, 0), hourly);
      expect(out.news.map(({ transition }) => transition)).toEqual(['fired']);
      const over = advance(out.alert, evaluationOf(0, { current: { window: hour(13) } }), hourly);
      expect(over.news.map(({ transition }) => transition)).toEqual(['recovered']);
    });
  });

  it.each([
    ['day', MONDAY + DAY_MS],
    ['week', MONDAY + 7 * DAY_MS],
    ['month', Date.UTC(2026, 3, 1)],
  ] as const)('covers the whole %s that the rule evaluates', (window, endAt) => {
    const rule = ruleNamed('long', { window });
    const span = { startAt: window === 'month' ? Date.UTC(2026, 2, 1) : MONDAY, endAt };
    const { alert } = advance(alertOf(rule), breached(0, { current: { window: span } }), rule);
    const later = { ...alert, evaluatedThroughAt: endAt + 40 * DAY_MS };
    expect(answered(later, 'holiday', rule).alert.excusedUntilAt).toBe(endAt);
  });

  it('is excluded from baselines', () => {
    const { alert } = answered(fired(), 'holiday');
    expect(advance(alert, breached(1), RULE).alert.incidents).toEqual([dayAt(0), dayAt(1)]);
    expect(advance(alert, evaluationOf(1), RULE).alert.incidents).toEqual([dayAt(0)]);
  });

  it('does not fire when the window is read again', () => {
    const { alert } = answered(fired(), 'holiday');
    expect(restate(alert, breached(0), RULE)).toMatchObject({ alert: { fired: null }, news: [] });
  });
});

describe('an incident', () => {
  const marked = answered(fired(), 'incident').alert;

  it('does not become the new level until somebody accepts it', () => {
    const lasted = (start: Alert) => {
      let alert = start;
      for (let day = 1; day <= 20; day++) alert = advance(alert, breached(day), RULE).alert;
      return alert;
    };
    expect(lasted(fired()).levelSinceAt).toBe(MONDAY);
    expect(lasted(marked)).toMatchObject({ state: 'firing', levelSinceAt: null });
    expect(answered(lasted(marked), 'accept').alert).toMatchObject({ state: 'normal', levelSinceAt: MONDAY });
  });

  it('stays excluded from baselines when the alert is retracted', () => {
    expect(restate(fired(), evaluationOf(0), RULE).alert.incidents).toEqual([]);
    expect(restate(marked, evaluationOf(0), RULE).alert.incidents).toEqual([dayAt(0)]);
  });
});

describe('the answers offered', () => {
  const stopped = advanceApp(newAppAlert('demo'), {
    scheduledAt: AT,
    newestDataAt: MONDAY,
    overdueBeforeAt: AT - HOUR_MS,
  }).alert;
  const both = buildRule(
    ruleSetEntrySchema.parse({
      ...{ id: 'both', title: 'Both', app: 'demo', owner: 'shop', every: 'day at 01:00' },
      all_of: ['sales', 'visits'],
    }),
  );
  const snoozes = ['snooze-1h', 'snooze-1d', 'snooze-1w', 'snooze-until-recovered'];

  it.each<[string, Alert, Rule | undefined, string[]]>([
    ['for a firing alert', fired(), RULE, ['acknowledge', ...snoozes, 'accept', 'holiday', 'incident']],
    [
      'for an acknowledged alert',
      answered(fired(), 'acknowledge').alert,
      RULE,
      [...snoozes, 'accept', 'holiday', 'incident'],
    ],
    ['for a composite rule', fired(both), both, ['acknowledge', ...snoozes, 'holiday', 'incident']],
    ['for an app that stopped', stopped, undefined, ['acknowledge', ...snoozes]],
    ['for a removed rule', fired(), undefined, []],
    ['for an alert that does not fire', alertOf(RULE), RULE, []],
  ])('%s', (_, alert, rule, answers) => {
    expect(answersTo(alert, rule)).toEqual(answers);
  });

  it('for an app that stopped end when data resumes', () => {
    const { alert } = answered(stopped, 'acknowledge', undefined);
    expect(alert.acknowledged?.by).toBe('Anna');
    const seen = { scheduledAt: AT + HOUR_MS, newestDataAt: AT, overdueBeforeAt: AT - HOUR_MS };
    const resumed = advanceApp(alert, seen).alert;
    expect(resumed).toMatchObject({ state: 'normal', acknowledged: null });
    expect(refusalOf(answerAlert(resumed, reply(stopped, 'snooze-1h'), undefined))).toMatchObject({
      code: 'ended',
    });
  });
});

it('an answer ends flapping, sends its own notification and resets the count', () => {
  const flapping = { ...fired(), flappingSinceAt: MONDAY, changes: [MONDAY, MONDAY + DAY_MS] };
  const { alert, news } = answered(flapping, 'holiday');
  expect(news.map(({ transition }) => transition)).toEqual(['excused']);
  expect(alert).toMatchObject({ flappingSinceAt: null, changes: [] });
});
