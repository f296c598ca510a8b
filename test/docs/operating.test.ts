import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { expect, test } from 'vitest';
import { refusalOf } from '../../cli/deploy/deployed-rules.ts';
import { deploymentPlan, planLines } from '../../cli/deploy/deployment-plan.ts';
import { type AlertReport, alertTable } from '../../cli/operate/alerts.ts';
import { statusText } from '../../cli/operate/status.ts';
import type { StatusReport, Trouble } from '../../cli/operate/status-report.ts';
import type { OpenAlert } from '../../shared/alerts/open-alert.ts';
import { RULE_FORMAT } from '../../shared/deployments/deployment.ts';
import { routesSchema } from '../../shared/notifications/routes.ts';
import { ruleNamed } from '../fixtures/builders.ts';
import { blocksIn, codeIn, documentAt } from './documents.ts';

const page = documentAt('docs/how-to/operating.md');
const [planned = '', refused = '', status = '', listed = ''] = blocksIn('text', [page]).map(({ text }) =>
  text.trimEnd(),
);

const STACK = 'deltawatch-production-alerting';
const day = (text: string) => Date.parse(`2026-11-${text}Z`);
const open = (
  ruleId: string,
  segment: string | null,
  state: OpenAlert['state'],
  sinceAt: number,
): OpenAlert => ({
  ...{ ruleId, segment, state, stateSinceAt: sinceAt, sinceAt, flappingSinceAt: null },
  ...{ noData: null, unmatched: null, health: { kind: 'ok' }, acknowledged: null, size: 1 },
});

const channels = { 'shop-slack': { slack: { webhook_secret: 'slack-webhook' } } };
const night = { slack: { webhook_secret: 'slack-webhook' } };
const quiet = Array.from({ length: 19 }, (_, i) => ruleNamed(`rule-${i}`));
const before = {
  version: 'v1',
  rules: [
    ruleNamed('purchases', { fire: { change: { below: '-40%' } } }),
    ruleNamed('new-users'),
    ruleNamed('carts'),
    ...quiet,
  ],
  routes: routesSchema.parse({ channels, default: ['shop-slack'] }),
};
const after = {
  version: 'v2',
  rules: [
    ruleNamed('purchases', { fire: { change: { below: '-45%' } } }),
    ruleNamed('new-users', { severity: 'critical' }),
    ruleNamed('sign-ups', { every: 'hour at :05' }),
    ...quiet,
  ],
  routes: routesSchema.parse({
    channels: { ...channels, night },
    default: ['shop-slack'],
    routes: [{ name: 'urgent', match: { rule: 'purchases' }, channels: ['shop-slack', 'night'] }],
  }),
};
const plan = deploymentPlan(after, {
  deployed: { version: 'v1', sinceAt: null, by: null },
  current: before,
  open: [
    open('purchases', null, 'firing', day('21T00:30')),
    open('carts', 'DE', 'firing', day('20T06:00')),
    open('carts', 'FR', 'pending', day('21T06:00')),
  ],
  deployment: {
    stack: STACK,
    cadences: ['hour-1-minute-0-UTC'],
    secrets: ['slack-webhook'],
    targets: [],
    hasButtons: false,
    ruleFormat: RULE_FORMAT,
  },
});

test('operating.md shows a plan as it is printed', () => {
  expect(planned).toBe(planLines(plan).join('\n'));
});

test('operating.md shows a rejected deployment as it is printed', () => {
  expect(refused).toBe(`error: ${refusalOf(plan)}`);
});

const firing = (about: Partial<AlertReport>): AlertReport => ({
  ...{ rule: 'purchases', segment: null, title: '', app: 'demo', owner: 'shop', severity: 'critical' },
  ...{
    state: 'firing',
    since: '2026-11-20T23:00:00Z',
    current: 70,
    baseline: 130,
    changePct: -46,
    isShare: false,
  },
  ...{ taken: null, quiet: null, ...about },
});
const cadence = {
  zone: 'UTC',
  state: 'on time',
  last: '2026-11-22T02:20:00Z',
  next: '2026-11-22T06:20:00Z',
} as const;
const report: StatusReport = {
  at: '2026-11-22T06:00:00Z',
  isRunning: true,
  rules: { version: '976d3e6b75f10c28', since: '2026-11-21T14:02:00Z', by: 'ada', count: 11 },
  cadences: [
    {
      ...cadence,
      every: 'day at 01:30',
      zone: 'Europe/Berlin',
      rules: 10,
      last: '2026-11-22T00:30:00Z',
      next: '2026-11-23T00:30:00Z',
    },
    { ...cadence, every: 'hour at :20', rules: 1, state: 'late' },
  ],
  apps: [{ app: 'demo', newest: '2026-11-22T05:11:00Z', stoppedSince: null, callsThisHour: 12, rules: 11 }],
  alerts: [
    firing({}),
    firing({
      ...{ rule: 'searches', segment: 'ios', severity: 'warning', since: '2026-11-20T00:00:00Z' },
      ...{
        current: 924,
        baseline: 592,
        changePct: 56,
        taken: { by: 'ada', at: '2026-11-21T09:00:00Z', reason: '' },
      },
    }),
  ],
  troubles: [],
  pending: { due: 0, held: 0, later: 1 },
};

test('operating.md shows the status and the alerts as they are printed', () => {
  expect(status).toBe(statusText(report));
  expect(listed).toBe(alertTable(report.alerts));
});

test('status lists troubles by their kind', () => {
  const none = { since: null, why: null };
  const troubles: Trouble[] = [
    { kind: 'unreadable', name: 'sign-ups', ...none },
    { kind: 'unreadable alert', name: 'by-country [Malta]', ...none },
  ];
  expect(statusText({ ...report, troubles })).toContain(
    'Rules that cannot be read, and are not evaluated\n  sign-ups\n\nAlerts that cannot be read, and may be firing\n  by-country [Malta]\n',
  );
});

test('operating.md states the rights of each command on a stage', () => {
  const [, rights = ''] = page.prose.split('## Rights ');
  const onStages = globSync('cli/**/*.ts').filter((path) =>
    readFileSync(path, 'utf8').includes('ofInstallation('),
  );
  const names = onStages.map((path) => basename(path, '.ts')).filter((name) => name !== 'installation');
  expect(names.length).toBeGreaterThan(5);
  expect(codeIn(rights)).toEqual(expect.arrayContaining(names));
});
