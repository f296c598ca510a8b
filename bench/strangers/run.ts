import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { readRules } from '../../cli/options/read-rules.ts';
import { figuresOf } from '../../local/figures.ts';
import { readArchive } from '../../local/replay/archive.ts';
import { replay } from '../../local/replay/replay.ts';
import type { RuleSet } from '../../shared/deployments/rule-store.ts';
import { seriesOf } from '../../shared/readings/series.ts';
import { ManualClock } from '../../shared/runtime/clock.ts';
import { DAY_MS, HOUR_MS } from '../../shared/units/durations.ts';
import { deltawatch, temporaryFolder } from '../../test/fixtures/deltawatch.ts';
import { falseAlertLine, isAlert } from '../own-data/scoring.ts';
import { notificationOf, type SimulatedNotification } from '../simulate.ts';
import { type GeneratedApp, generatedApp } from './generated-app.ts';
import { SHAPES } from './shapes.ts';

/** The days that `deltawatch start` replays first. */
const REPLAYED_DAYS = 35;
/** What is sent this long after an incident may still be about it. */
const AFTERMATH_MS = 36 * HOUR_MS;
/** The length of a window, to know whether it has a part of the incident. */
const WINDOW_MS = { hour: HOUR_MS, day: DAY_MS, week: 7 * DAY_MS, month: 31 * DAY_MS } as const;
const RECOVERY_MS = 7 * DAY_MS;
const MONTH_DAYS = 30;

interface Message {
  at: number;
  notified: SimulatedNotification[];
}

interface Outcome {
  shape: string;
  seed: number;
  found: boolean;
  hasIncident: boolean;
  falseAlerts: SimulatedNotification[];
  /** Messages about the incident, its end included. */
  messages: number;
  days: number;
}

/**
 * The first day of a stranger: generated apps of eight shapes, each with and without an incident. Each is imported,
 * `init` writes its rules, and the last 35 days are replayed as `start` does; no rule is written by hand.
 *
 * `found`: the share of incidents with an alert on something that they affect. `falsePerAppMonth`: all other alerts.
 * `messagesPerIncident`: messages from its start to a week after its end, of the incidents that were found.
 * `--seeds N` sets the apps per shape (default 5), `--first N` the first seed, `--shape NAME` selects one.
 */
export async function run(options: string[]) {
  const { values } = parseArgs({
    args: options,
    options: {
      seeds: { type: 'string', default: '5' },
      first: { type: 'string', default: '1' },
      shape: { type: 'string' },
      keep: { type: 'string' },
    },
  });
  const shapes = SHAPES.filter(({ name }) => values.shape === undefined || name === values.shape);
  const seeds = Array.from({ length: Number(values.seeds) }, (_, i) => i + Number(values.first));
  const cases = seeds.flatMap((seed) =>
    shapes.flatMap((shape) => [true, false].map((incident) => ({ shape, seed, incident }))),
  );
  const outcomes: Outcome[] = [];
  const left = cases.values();
  const worker = async () => {
    for (const { shape, seed, incident } of left) {
      const app = generatedApp(shape, seed, incident);
      const outcome = await outcomeOf(app, seed);
      outcomes.push(outcome);
      const what = incident ? (outcome.found ? 'found' : 'MISSED') : 'quiet';
      console.error(
        `${shape.name}, seed ${seed}: ${what}, ${outcome.messages} messages, ${outcome.falseAlerts.length} false`,
      );
      for (const each of outcome.falseAlerts) console.error(`  ${falseAlertLine(each)}`);
    }
  };
  await Promise.all([worker(), worker()]);
  printTable(outcomes);
  return summaryOf(outcomes);
}

async function outcomeOf(app: GeneratedApp, seed: number): Promise<Outcome> {
  await using folder = await temporaryFolder();
  const { path } = folder;
  await mkdir(path, { recursive: true });
  await writeFile(join(path, 'events.csv'), app.csv);
  await command(['data', 'import', 'events.csv', '--app', 'own', '--yes'], path);
  await command(['init'], path);
  const ruleSet = await readRules(join(path, 'rules'));
  const messages = await sentIn(join(path, '.deltawatch/data'), ruleSet, app);
  return scoreOf(app, seed, ruleSet, messages);
}

async function command(args: string[], cwd: string): Promise<void> {
  const { code, stdout, stderr } = await deltawatch(args, cwd);
  if (code !== 0) throw new Error(`deltawatch ${args.join(' ')} failed: ${stdout}${stderr}`);
}

async function sentIn(dataDir: string, ruleSet: RuleSet, { data }: GeneratedApp): Promise<Message[]> {
  const to = data.endAt + 8 * HOUR_MS;
  const span = { from: to - REPLAYED_DAYS * DAY_MS, to };
  const clock = new ManualClock(to);
  const { sourceFor, close } = figuresOf({ kind: 'folder', dataDir }, clock);
  const figures = await readArchive({ rules: ruleSet.rules, ...span, sourceFor, clock });
  close();
  const messages: Message[] = [];
  for await (const event of replay({ ruleSet, ...span, figures }))
    if (event.kind === 'sent') messages.push({ at: event.at, notified: event.pending.map(notificationOf) });
  return messages;
}

function scoreOf(app: GeneratedApp, seed: number, ruleSet: RuleSet, messages: Message[]): Outcome {
  const { incident, shape } = app;
  const lengthOf = (id: string) => WINDOW_MS[ruleSet.rules.find((rule) => rule.id === id)?.window ?? 'day'];
  const isAbout = (at: number, { rule, windowEnd }: SimulatedNotification) => {
    if (!incident || at <= incident.startAt) return false;
    const isLong = Date.parse(windowEnd) - lengthOf(rule) < incident.endAt;
    return isLong || at <= incident.endAt + AFTERMATH_MS;
  };
  const isAffected = ({ rule: id, segment }: SimulatedNotification) => {
    const rule = ruleSet.rules.find((each) => each.id === id);
    const { events, segments } = shape.affected;
    if (!rule || rule.members || !events) return true;
    const names = seriesOf(rule).eventNames;
    if (names.length > 0 && !names.some((name) => events.includes(name))) return false;
    return !segments || segment === null || segments.some((each) => segment.includes(each));
  };
  const during = messages.flatMap(({ at, notified }) =>
    notified.filter((each) => isAlert(each) && isAbout(at, each)),
  );
  const falseAlerts = messages.flatMap((message) =>
    message.notified.filter((each) => isAlert(each) && !(isAbout(message.at, each) && isAffected(each))),
  );
  return {
    ...{ shape: shape.name, seed, falseAlerts, hasIncident: incident !== undefined },
    found: during.some(isAffected),
    messages: messages.filter(
      ({ at }) => incident !== undefined && at > incident.startAt && at <= incident.endAt + RECOVERY_MS,
    ).length,
    days: REPLAYED_DAYS,
  };
}

function summaryOf(outcomes: Outcome[]) {
  const incidents = outcomes.filter(({ hasIncident }) => hasIncident);
  const found = incidents.filter((each) => each.found);
  const falseAlerts = outcomes.flatMap((each) => each.falseAlerts);
  const months = outcomes.reduce((sum, { days }) => sum + days, 0) / MONTH_DAYS;
  const messages = found.reduce((sum, each) => sum + each.messages, 0);
  return {
    found: rounded(found.length / incidents.length),
    falsePerAppMonth: rounded(falseAlerts.length / months),
    messagesPerIncident: rounded(messages / found.length),
  };
}

function printTable(outcomes: Outcome[]): void {
  console.log('shape                 found  false/month  messages  false by rule');
  for (const [shape, own = []] of Object.entries(Object.groupBy(outcomes, (each) => each.shape))) {
    const { found, falsePerAppMonth, messagesPerIncident } = summaryOf(own);
    const byRule = Object.entries(
      Object.groupBy(
        own.flatMap((each) => each.falseAlerts),
        ({ rule }) => rule,
      ),
    )
      .map(([rule, each]) => `${each?.length} ${rule}`)
      .join(', ');
    console.log(
      `${shape.padEnd(21)} ${String(found).padStart(5)}  ${String(falsePerAppMonth).padStart(11)}  ${String(messagesPerIncident).padStart(8)}  ${byRule}`,
    );
  }
}

function rounded(figure: number): number {
  return Math.round(figure * 100) / 100;
}
