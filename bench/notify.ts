import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { terminalLogger } from '../local/terminal.ts';
import { newAlert } from '../shared/alerts/alert.ts';
import type { Evaluation } from '../shared/evaluation/evaluation.ts';
import { queueNotification } from '../shared/notifications/pending-notifications.ts';
import { routesSchema } from '../shared/notifications/routes.ts';
import { buildRule, type Rule, ruleSetEntrySchema } from '../shared/rules/rule.ts';
import { openSqliteTable } from '../shared/store/sqlite-table.ts';
import { storesIn } from '../shared/store/stores.ts';
import { HOUR_MS } from '../shared/units/durations.ts';
import { temporaryFolder } from '../test/fixtures/deltawatch.ts';
import { clock, NOON, type Sweeps, sweepsSchema } from './notify-run.ts';

const SEGMENTS = 20;
const OWNERS = 10;
const [WARM_UP, FEW, MANY] = [500, 2000, 10_000];

const CHANNELS = ['team', 'pager', 'bus'];
const ROUTES = routesSchema.parse({
  channels: Object.fromEntries(CHANNELS.map((name) => [name, { slack: { webhook_secret: name } }])),
  calendars: {
    nights: { zone: 'Europe/Berlin', weekly: [{ days: ['mon-sun'], from: '22:00', to: '07:00' }] },
  },
  default: { channels: ['team'], mute: ['nights'] },
  routes: [
    { name: 'critical', match: { severity: 'critical' }, channels: ['pager', 'team'], group_by: ['owner'] },
    { name: 'by-app', match: { app: 'app-*' }, channels: ['bus'], group_by: ['app', 'severity'] },
  ],
});

/**
 * Thousands of alerts fire in one run. Measures how notify sends their notifications, with the table of one machine. The cost of an alert must not grow with their number. A sweep may take one minute; `seconds` is the time of
 * all sweeps. A large group needs several messages. `residentMb` is the most memory that the process of notify used.
 */
export async function run() {
  const sender = fork(join(import.meta.dirname, 'notify-process.ts'));
  await measure(WARM_UP, sender);
  const few = await measure(FEW, sender);
  const many = await measure(MANY, sender);
  sender.disconnect();
  console.log(`${FEW} alerts: ${JSON.stringify(few)}`);
  console.log(`${MANY} alerts: ${JSON.stringify(many)}`);
  const { found, ...figures } = many;
  // CPU time, because other load on the machine does not affect it.
  return { alerts: found, ...figures, growth: round(many.cpuMsPerAlert / few.cpuMsPerAlert) };
}

async function measure(count: number, sender: ChildProcess) {
  await using folder = await temporaryFolder();
  const table = openSqliteTable(join(folder.path, 'table.sqlite'), clock);
  const stores = storesIn(table, terminalLogger);
  const rules = rulesFor(count);
  await stores.rules.save({ version: 'bench', rules, routes: ROUTES });
  await stores.runs.saveTick({ id: 'tick', scheduledAt: NOON, batches: [] });
  for (const rule of rules) {
    const dueAt = NOON - rules.indexOf(rule);
    const alerts = Array.from({ length: SEGMENTS }, (_, i) => firing(rule, `segment ${i}`, dueAt));
    await Promise.all(alerts.map((alert) => stores.alerts.save(alert)));
  }
  sender.send(table.name);
  const [answer] = await once(sender, 'message');
  const { sent, found, left, seconds, sweeps, cpuSeconds, residentMb } = sweepsSchema.parse(answer);
  table.close();
  if (left > 0) throw new Error(`${left} of ${count} alerts are still pending`);
  const perAlert = (each: number) => round((1000 * each) / found);
  return {
    ...groupsIn(sent, rules),
    ...{ found, seconds: round(seconds), sweeps, residentMb },
    ...{ msPerAlert: perAlert(seconds), cpuMsPerAlert: perAlert(cpuSeconds) },
  };
}

/** Counts messages by group: channel, route and the values of its `group_by`. */
function groupsIn(sent: Sweeps['sent'], rules: Rule[]) {
  const byId = new Map(rules.map((rule) => [rule.id, rule]));
  const messages = new Map<string, number>();
  for (const { channel, ruleIds } of sent) {
    const groups = new Set(ruleIds.map((ruleId) => `${channel} ${groupOf(byId.get(ruleId))}`));
    for (const group of groups) messages.set(group, (messages.get(group) ?? 0) + 1);
  }
  const messagesPerGroup = Math.max(...messages.values());
  return { groups: messages.size, messages: sent.length, messagesPerGroup };
}

function groupOf(rule: Rule | undefined): string {
  if (rule?.severity === 'critical') return `critical ${rule.owner}`;
  return rule?.app.startsWith('app-') ? `by-app ${rule.app} ${rule.severity}` : 'default';
}

function rulesFor(alerts: number): Rule[] {
  const severities = ['info', 'warning', 'critical'];
  return Array.from({ length: alerts / SEGMENTS }, (_, i) =>
    buildRule(
      ruleSetEntrySchema.parse({
        id: `rule-${i}`,
        title: `Rule ${i}`,
        app: i % 4 === 0 ? 'shop' : `app-${i % 3}`,
        owner: `owner-${i % OWNERS}`,
        severity: severities[i % severities.length],
        every: 'hour',
        metric: 'event_count',
        group_by: 'device_country',
        fire: { change: { below: '-30%' } },
      }),
    ),
  );
}

function firing(rule: Rule, segment: string, dueAt: number) {
  const evaluation = evaluationOf();
  const alert = {
    ...newAlert({ ruleId: rule.id, segment }, 'bench', NOON),
    state: 'firing' as const,
    last: evaluation,
  };
  return queueNotification(alert, rule, ROUTES, {
    transition: 'fired',
    reason: { code: 'evaluation' },
    windowEndAt: NOON,
    evaluation,
    firedWindowEndAt: null,
    tick: { id: 'tick', scheduledAt: dueAt },
  });
}

function evaluationOf(): Evaluation {
  const reading = (value: number, endAt: number) => ({
    ...{ window: { startAt: endAt - HOUR_MS, endAt }, value, weight: null },
  });
  const figures = { current: 400, baseline: 1000, difference: 600 };
  return {
    current: reading(400, NOON),
    baseline: { ...reading(1000, NOON - HOUR_MS), origin: { of: 'window' } },
    previous: { value: 1000, weight: null },
    difference: -600,
    change: -0.6,
    gates: [
      { gate: 'settled', passed: true, code: 'settled', figures: { closedAt: NOON, settleMinutes: 10 } },
      { gate: 'fresh', passed: true, code: 'fresh', figures: { newestDataAt: NOON } },
      { gate: 'volume', passed: true, code: 'enough-volume', figures },
      {
        ...{ gate: 'threshold', passed: true, code: 'outside-bounds' },
        figures: { current: 400, baseline: 1000, difference: -600, change: -0.6 },
        bounds: { change: { below: -0.3 } },
      },
    ],
    significance: null,
    surprise: null,
    verdict: 'breached',
    reason: { code: 'gate', gate: 'threshold' },
    recovered: false,
  };
}

function round(figure: number): number {
  return Math.round(figure * 1000) / 1000;
}
