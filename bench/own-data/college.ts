import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseMapping } from '../../local/data/import/fields.ts';
import { importEvents } from '../../local/data/import/import-events.ts';
import { buildRule, type Rule, ruleSetEntrySchema } from '../../shared/rules/rule.ts';
import type { Window } from '../../shared/time/window.ts';
import { DAY_MS, HOUR_MS } from '../../shared/units/durations.ts';
import { replayed } from './replayed.ts';
import type { KnownSpan, LogCut, LoggedAlert } from './right-or-wrong.ts';
import { ROUTES } from './routes.ts';
import { isAlert } from './scoring.ts';

const APP = 'college';
const ZONE = 'America/Los_Angeles';
/** The whole log is within daylight saving time. */
const OFFSET = -7 * HOUR_MS;

const day = (month: number, of: number) => Date.UTC(2004, month - 1, of);

/** The known events in docs/explanation/real-log.md. */
export const COLLEGE_SPANS: KnownSpan[] = [
  { startAt: day(4, 15), endAt: day(5, 10), what: 'launch', direction: 'rise' },
  { startAt: day(5, 28), endAt: day(6, 15), what: 'end of term', direction: 'fall' },
  { startAt: day(6, 15), endAt: day(6, 27), what: 'few recorded', direction: 'fall' },
  { startAt: day(6, 27), endAt: day(7, 4), what: 'recorded again', direction: 'rise' },
];

/** Rules as a new user writes them. */
const RULES: Rule[] = [
  {
    id: 'daily',
    every: 'day at 07:00',
    compare: { to: 'same_weekday' },
    fire: { change: { above: '50%', below: '-50%' } },
    minimum: { baseline: 30 },
  },
  {
    ...{ id: 'senders', every: 'day at 07:00', metric: 'event_users' },
    fire: { change: { above: '50%', below: '-40%' } },
    minimum: { baseline: 20 },
  },
  {
    ...{ id: 'hourly', every: 'hour at :20' },
    fire: { change: { above: '200%', below: '-70%' } },
    minimum: { baseline: 20 },
  },
].map((keys) =>
  buildRule(
    ruleSetEntrySchema.parse({
      ...{ title: keys.id, app: APP, owner: 'community', zone: ZONE, metric: 'event_count' },
      filters: [{ attribute: 'event_name', operator: 'equal', value: 'message' }],
      ...keys,
    }),
  ),
);

/** Cuts the log into parts of `days` days. Each part is imported without the data before it. */
export async function* collegeCuts(
  file: string,
  days: number,
): AsyncGenerator<{ cut: LogCut; alerts: LoggedAlert[] }> {
  const [header = '', ...lines] = (await readFile(file, 'utf8')).trim().split(/\r?\n/);
  const rows = lines.map((line) => ({ line, at: Number(line.split(',')[2]) * 1000 }));
  const [first, last] = [rows[0]?.at ?? 0, rows.at(-1)?.at ?? 0];
  const begin = Math.floor((first + OFFSET) / DAY_MS) * DAY_MS - OFFSET;
  for (let startAt = begin; startAt < last; startAt += days * DAY_MS) {
    const within = rows.filter(({ at }) => startAt <= at && at < startAt + days * DAY_MS);
    const from = within[0]?.at;
    if (from === undefined) continue;
    const cut = { startAt: from, endAt: Math.min(startAt + days * DAY_MS, last) };
    const alerts = await alertsIn([header, ...within.map(({ line }) => line)].join('\n'), cut);
    yield { cut: { ...localOf(cut), rows: within.map(({ at }) => ({ at: at + OFFSET, value: 1 })) }, alerts };
  }
}

async function alertsIn(csv: string, cut: Window): Promise<LoggedAlert[]> {
  const dir = await mkdtemp(join(tmpdir(), 'deltawatch-own-data-'));
  try {
    const file = join(dir, 'messages.csv');
    await writeFile(file, csv);
    await importEvents({
      ...{ file, dir, app: APP, zone: ZONE, timeFormat: 'unix', skipBad: false },
      mapping: parseMapping(['user_id=sender', 'recorded_at=unix_time'], ['event_name=message']),
    });
    const notified = await replayed(dir, { version: 'bench', rules: RULES, routes: ROUTES }, cut);
    return notified.filter(isAlert).map(({ rule, windowEnd, transition, baseline, current }) => {
      const endAt = Date.parse(windowEnd);
      const startAt = endAt - (rule === 'hourly' ? HOUR_MS : DAY_MS);
      return { by: rule, window: localOf({ startAt, endAt }), transition, baseline, current };
    });
  } finally {
    await rm(dir, { recursive: true });
  }
}

function localOf({ startAt, endAt }: Window): Window {
  return { startAt: startAt + OFFSET, endAt: endAt + OFFSET };
}
