import type { RuleSet } from '../../shared/deployments/rule-store.ts';
import { routesSchema } from '../../shared/notifications/routes.ts';
import { buildRule, type Rule, ruleSetEntrySchema } from '../../shared/rules/rule.ts';
import { ruleNamed } from '../fixtures/builders.ts';
import { chance } from './chance.ts';

/** `faultless` days, so that every rule is evaluated once; faults until `busy`; then days to settle, until `all`. */
export const DAYS = { faultless: 1, busy: 6, all: 9 };

/** As many worlds as there are undisturbed runs to compare with. */
const WORLDS = 24;

const ROUTES = routesSchema.parse({
  channels: {
    chat: { slack: { webhook_secret: 'chat' } },
    pager: { pagerduty: { routing_key_secret: 'pager' } },
    hook: { webhook: { url_secret: 'hook', signing_secret: 'hook-signing' } },
  },
  default: { channels: ['chat', 'pager', 'hook'], repeat: { after: '4 hours', at_most: 2 } },
});

/** One rule of each kind, in two apps and on two cadences. */
const onEvent = (id: string, overrides: Record<string, unknown> = {}): Rule =>
  ruleNamed(id, {
    app: 'shop',
    filters: [{ attribute: 'event_name', operator: 'equal', value: id }],
    ...overrides,
  });

const SALES = onEvent('sales');
const SIGNUPS = onEvent('signups', { fire_after: '2 of 3', recover_after: '2 of 2' });
const CHANGED_SIGNUPS = onEvent('signups', { fire: { change: { below: '-40%' } } });
const COUNTRIES = onEvent('orders', { group_by: 'device_country' });
const EITHER = buildRule(
  ruleSetEntrySchema.parse({
    ...{ id: 'either', title: 'Either', app: 'shop', owner: 'shop', every: 'day at 01:00' },
    any_of: ['sales', 'signups'],
  }),
);
const READS = onEvent('reads', { app: 'blog', every: 'day at 13:00' });
const SHARES = onEvent('shares', { app: 'blog' });

/** The rules of the installation from a day on. */
interface Deployment {
  day: number;
  ruleSet: RuleSet;
}

/** The data of the apps, which faults do not change. */
export interface Scenario {
  id: number;
  deployments: Deployment[];
  /** Rules whose meaning changes: the start of their new state depends on which runs took place. */
  changedRules: ReadonlySet<string>;
  /** The count on a day, as it is known at a time (days since the first one). */
  figure: (day: number, series: { eventName: string; segment?: string }, knownOn: number) => number;
  restates: boolean;
  segments: string[];
}

export function scenarioOf(seed: number): Scenario {
  const id = seed % WORLDS;
  const restates = id % 4 === 1;
  const first = [SALES, SIGNUPS, COUNTRIES, EITHER, READS, SHARES];
  const second = [SALES, CHANGED_SIGNUPS, COUNTRIES, READS];
  const isDeployed = id % 3 === 0;
  const deployments = [
    { day: 0, ruleSet: { version: 'first', rules: first, routes: ROUTES } },
    ...(isDeployed ? [{ day: 4, ruleSet: { version: 'second', rules: second, routes: ROUTES } }] : []),
  ];
  return {
    ...{ id, deployments, restates, segments: ['Malta', 'Cyprus', 'Crete'] },
    changedRules: new Set(isDeployed ? ['signups', 'either', 'shares'] : []),
    figure(day, { eventName, segment = '' }, knownOn) {
      const name = `${eventName} ${segment}`;
      const isLow = lowDays(id, name).has(day);
      // Some of a day's events come a day late: it looks low until then.
      const isLate =
        restates && chance(id, `${name} late ${day}`) < 0.3 && Math.floor(knownOn - day - 0.5) % 2 === 1;
      return (isLow || isLate ? 300 : 1000) + Math.floor(chance(id, `${name} ${day}`) * 40);
    },
  };
}

const known = new Map<string, ReadonlySet<number>>();

/** The days of incidents. Some last to the end, and some recur. */
function lowDays(id: number, name: string): ReadonlySet<number> {
  const key = `${id} ${name}`;
  const days = known.get(key) ?? new Set(incidentsOf(id, name));
  known.set(key, days);
  return days;
}

function incidentsOf(id: number, name: string): number[] {
  const at = (what: string, most: number) => Math.floor(chance(id, `${name} ${what}`) * most);
  const from = 2 + at('from', DAYS.busy - 3);
  switch (at('kind', 5)) {
    case 0:
      return [];
    case 1:
      return [from, from + 2, from + 4, from + 6];
    case 2:
      return Array.from({ length: DAYS.all }, (_, i) => from + i);
    default:
      return Array.from({ length: 1 + at('length', 4) }, (_, i) => from + i);
  }
}
