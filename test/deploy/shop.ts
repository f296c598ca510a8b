import { DAY_MS, HOUR_MS } from '../../shared/units/durations.ts';

const NOW = Date.now();
const dayOf = (at: number) => Math.floor(at / DAY_MS) * DAY_MS;
/** The hour in which the rules run each day: far from now, so that no schedule runs them during the tests. */
const RUN_HOUR = new Date(NOW + 12 * HOUR_MS).getUTCHours();
const RUN_TIME = `${String(RUN_HOUR).padStart(2, '0')}:30`;
const RUN_TODAY_AT = dayOf(NOW) + RUN_HOUR * HOUR_MS + HOUR_MS / 2;

/** The schedule of the rules. */
export const CADENCE = `hour-${RUN_HOUR}-minute-30-UTC`;
/** When the rules should have run last, and the day before. */
export const LAST_RUN_AT = RUN_TODAY_AT < NOW ? RUN_TODAY_AT : RUN_TODAY_AT - DAY_MS;
export const RUN_BEFORE_AT = LAST_RUN_AT - DAY_MS;

export const ROUTES = `
channels:
  team: { slack: { webhook_secret: deltawatch/$STAGE/slack-webhook } }
default: [team]
`;

/** The stage's own data access service. */
export const DATA_ACCESS = {
  kind: 'own',
  firstDay: new Date(LAST_RUN_AT - 60 * DAY_MS).toISOString().slice(0, 10),
};

/** A stage with its own data access service, and with `settings`; and `others`. */
export function configWith(settings: Record<string, unknown> = {}, others: object = {}): string {
  const stage = {
    dataAccess: DATA_ACCESS,
    operators: 'oncall@example.com',
    keepState: false,
    logDays: 7,
    ...settings,
  };
  return `import { defineConfig } from 'deltawatch/config';
export default defineConfig({ rules: 'rules', stages: ${JSON.stringify({ staging: stage, ...others })} });
`;
}

/** For each event a rule that fires if its number doubles within a week. */
export function rulesOn(...events: string[]): string {
  const rules = events.map(
    (event) => `
  - id: ${event}
    title: Events ${event}
    filters: [{ attribute: event_name, operator: equal, value: ${event} }]
    fire: { change: { above: 100% } }`,
  );
  return `
defaults:
  app: shop
  owner: shop-team
  zone: UTC
  every: day at ${RUN_TIME}
  metric: event_count
  compare: { to: same_weekday }
rules:${rules.join('')}
`;
}

/**
 * Two weeks of events as NDJSON, up to now. There are 480 a day of each name, and 2,400 of "search" since the day that
 * the run before the last evaluates, of "order" since the day after it.
 */
export function events(): string {
  const lastDayAt = dayOf(LAST_RUN_AT) - DAY_MS;
  const busySince = { search: lastDayAt - DAY_MS, order: lastDayAt };
  const lines: string[] = [];
  for (const [event_name, busyAt] of Object.entries(busySince))
    for (let hourAt = lastDayAt - 13 * DAY_MS; hourAt + HOUR_MS < NOW; hourAt += HOUR_MS) {
      const count = hourAt < busyAt ? 20 : 100;
      for (let i = 0; i < count; i++) {
        const recorded_at = new Date(hourAt + (i * HOUR_MS) / count).toISOString();
        lines.push(JSON.stringify({ event_name, user_id: `u${i}`, recorded_at }));
      }
    }
  return lines.join('\n');
}
