import { compose } from '../../functions/notify/compose.ts';
import type { Alert } from '../../shared/alerts/alert.ts';
import { advanceApp, newAppAlert, watchedApps } from '../../shared/alerts/app-alert.ts';
import type { Transition } from '../../shared/alerts/transitions.ts';
import type { Drivers } from '../../shared/evaluation/drivers.ts';
import { evaluate, evaluateTogether } from '../../shared/evaluation/evaluate.ts';
import type { Evaluation } from '../../shared/evaluation/evaluation.ts';
import type { Evidence } from '../../shared/evaluation/evidence.ts';
import type { Reason } from '../../shared/evaluation/reason.ts';
import type { Message } from '../../shared/messages/message.ts';
import { messageLinks } from '../../shared/messages/message-links.ts';
import type { HeldBy, PendingNotification } from '../../shared/notifications/pending.ts';
import { queueNotification } from '../../shared/notifications/pending-notifications.ts';
import type { BaselineOrigin } from '../../shared/readings/reading.ts';
import type { FigureRule, Rule } from '../../shared/rules/rule.ts';
import { type Calendar, lastClosedWindow, type Window, windowsBack } from '../../shared/time/window.ts';
import { HOUR_MS } from '../../shared/units/durations.ts';
import { alertOf, ROUTES, ruleNamed } from '../fixtures/builders.ts';
import { daily } from '../fixtures/life.ts';

export const TUESDAY_3_AM = Date.UTC(2026, 2, 3, 2);

const eventNamed = (value: string) => [{ attribute: 'event_name', operator: 'equal', value }];

/** An hourly rule of a shop in Berlin. */
export function shopRule(overrides: Record<string, unknown> = {}): FigureRule {
  return ruleNamed('purchases', {
    title: 'Purchases',
    app: 'shop',
    zone: 'Europe/Berlin',
    severity: 'critical',
    every: 'hour at :10',
    runbook: 'https://wiki.example.com/purchases',
    filters: eventNamed('purchase'),
    ...overrides,
  });
}

interface Found extends Partial<Pick<Evidence, 'surprise'>> {
  current: number;
  baseline: number;
  weight?: number | null;
  origin?: BaselineOrigin;
  at?: number;
}

/** Evaluates `current` against `baseline` in the last window before 3 a.m. in Berlin, or before `at`. */
export function found(rule: FigureRule, figures: Found): Evaluation {
  return evaluate(rule, evidenceOf(rule, figures));
}

/** Evaluates the first of the segments, each with its mean over 14 hours of 30 sessions. */
export function foundBetween(rule: FigureRule, means: Record<string, number>): Evaluation {
  const evidences = Object.entries(means).map(([segment, mean]): Evidence => {
    const evidence = evidenceOf(rule, { current: mean, baseline: mean, weight: 30 });
    const hours = Array.from({ length: 14 }, (_, i) =>
      windowsBack(evidence.current.window, i, { grain: rule.window, zone: rule.zone }),
    );
    return { ...evidence, segment, recent: hours.map((window) => ({ window, value: mean, weight: 30 })) };
  });
  const [evaluation] = evaluateTogether(rule, evidences);
  if (!evaluation) throw new Error('no segment');
  return evaluation;
}

function evidenceOf(rule: FigureRule, { current, baseline, weight = null, ...more }: Found): Evidence {
  const calendar: Calendar = { grain: rule.window, zone: rule.zone };
  const foundAt = more.at ?? TUESDAY_3_AM;
  const window = lastClosedWindow(foundAt, calendar);
  const at = (amount: number, of: Window) => ({ window: of, value: amount, weight });
  const back = (count: number) => windowsBack(window, count, calendar);
  const normal = (count: number) => baseline * (1 + ((count * 37) % 7) / 100);
  return {
    current: at(current, window),
    baseline: {
      ...at(baseline, back(more.origin?.of === 'median' ? 168 : 1)),
      origin: more.origin ?? { of: 'window' },
    },
    previous: { value: baseline, weight },
    past: Array.from({ length: 30 }, (_, i) => ({
      current: at(normal(i + 1), back(i + 1)),
      baseline: at(normal(i + 2), back(i + 2)),
    })),
    surprise: more.surprise,
    knownSinceAt: null,
    newSinceAt: null,
    isTooNew: false,
    holiday: null,
    newestDataAt: foundAt + HOUR_MS,
    isSilent: false,
    fired: null,
  };
}

const FIRING: ReadonlySet<Transition> = new Set(['fired', 'reminded']);

/** The pending notification of this transition. */
export function pendingFor(
  rule: Rule,
  transition: Transition,
  evaluation: Evaluation | null,
  overrides: Partial<Alert> & { reason?: Reason; drivers?: Drivers; heldBy?: HeldBy } = {},
): PendingNotification {
  const { reason = { code: 'evaluation' }, drivers = null, heldBy, ...alert } = overrides;
  const window =
    evaluation?.current.window ?? lastClosedWindow(TUESDAY_3_AM, { grain: rule.window, zone: rule.zone });
  const sentBefore = {
    transition: 'fired',
    channel: 'team',
    windowEndAt: window.endAt,
    sentAt: window.endAt + HOUR_MS / 4,
  } as const;
  const { endAt: windowEndAt } = window;
  const fired = evaluation &&
    FIRING.has(transition) && {
      ...{ windowEndAt, firstEndAt: windowEndAt, gap: null },
      ...{ baseline: evaluation.baseline, direction: 'down' as const },
    };
  const before = {
    incidents: [window],
    fired: fired || null,
    sent: transition === 'fired' ? [] : [sentBefore],
    ...alert,
  };
  const withPending = queueNotification(alertOf(rule, before), rule, ROUTES, {
    transition,
    reason,
    windowEndAt: window.endAt,
    evaluation,
    firedWindowEndAt: window.endAt,
    tick: { id: 'tick', scheduledAt: window.endAt + HOUR_MS / 6 },
  });
  const [entry] = Object.entries(withPending.pending);
  if (!entry) throw new Error('there is no pending notification');
  const [key, notification] = entry;
  return {
    key,
    alert: withPending,
    notification: { ...notification, drivers },
    rule,
    ...(heldBy && { heldBy }),
  };
}

/** The pending notification of an app alert whose newest data is `silentHours` old, one run after the other. */
export function pendingByApp(...silentHours: number[]): PendingNotification {
  const rule = shopRule();
  let alert = newAppAlert('shop');
  for (const [tick, hours] of silentHours.entries()) {
    const scheduledAt = TUESDAY_3_AM + tick * HOUR_MS;
    const newestDataAt = scheduledAt - hours * HOUR_MS;
    const step = advanceApp(alert, { newestDataAt, overdueBeforeAt: scheduledAt - 6 * HOUR_MS, scheduledAt });
    const to = { id: alert.ruleId, app: 'shop', owner: '', severity: 'critical' } as const;
    const occasion = { evaluation: null, firedWindowEndAt: null, windowEndAt: scheduledAt };
    alert = { ...step.alert, pending: {} };
    for (const news of step.news)
      alert = queueNotification(alert, to, ROUTES, {
        ...occasion,
        ...news,
        tick: { id: 'tick', scheduledAt },
      });
  }
  const [entry] = Object.entries(alert.pending);
  if (!entry) throw new Error('there is no pending notification');
  return { key: entry[0], alert, notification: entry[1], rule: undefined, zone: rule.zone };
}

/** The links of a deployed system. */
const LINKS = messageLinks(
  {
    sign: async () => 'eyJhbGciOiJIUzI1NiJ9.'.padEnd(250, 'x'),
    verify: async () => ({ kind: 'foreign' }),
  },
  'https://deltawatch.example.com',
);

const SILENT = { info() {}, warn() {}, error() {} };

/** The message as it is sent. */
export function sent(pending: PendingNotification[]): Promise<Message> {
  const rules = [...new Set(pending.flatMap(({ rule }) => rule ?? []))];
  return compose(pending, watchedApps(rules), { links: LINKS, logger: SILENT });
}

/** The fall in most messages. */
export const purchases = shopRule();
export const fell = found(purchases, { current: 590, baseline: 1000 });

/** A daily rule, for messages that need several windows. */
export const sales = (overrides: Record<string, unknown> = {}) =>
  daily({
    title: 'Purchases',
    zone: 'UTC',
    severity: 'critical',
    runbook: 'Ask the payment provider.',
    ...overrides,
  });
