import { type DemoReport, writeDemoApp } from '../../local/data/demo/demo-app.ts';
import { writtenIncident } from '../../local/data/demo/incidents.ts';
import { progressLine } from '../../local/terminal.ts';
import { type Clock, type Millis, systemClock } from '../../shared/runtime/clock.ts';
import { counted } from '../../shared/text/counted.ts';
import { DAY_MS, HOUR_MS } from '../../shared/units/durations.ts';
import { IMPORTED_DATA } from '../options/project.ts';
import { instant, wholeNumberIn } from '../terminal/arguments.ts';
import { Command, withUsage } from '../terminal/command.ts';
import { ASK, type Ask } from '../terminal/confirm.ts';
import { minuteText } from '../terminal/times.ts';
import { addImport } from './data-import.ts';
import { addPublish } from './data-publish.ts';

/** `deltawatch data`: fills the folder from which the data access service reads. */
export function dataCommand(clock: Clock = systemClock, ask: Ask = ASK): Command {
  const data = withUsage(new Command('data')).description('Generate, import and publish data');
  addGenerate(data, clock);
  addImport(data, IMPORTED_DATA, { clock, ask });
  addPublish(data, IMPORTED_DATA, clock);
  return data;
}

interface GenerateOptions {
  seed: number;
  until?: Millis;
  days: number;
  app: string;
  data: string;
  json?: true;
}

function addGenerate(data: Command, clock: Clock): void {
  data
    .command('generate')
    .description('Generate a demo shop with known incidents, from a seed')
    .option('--seed <number>', 'Seed of the demo shop', wholeNumberIn(0, 999_999_999), 1)
    .option('--until <time>', 'End of its data, such as 2026-03-01; default: now', instant)
    .option('--days <number>', 'Days of data before the end', wholeNumberIn(0, 10_000), 120)
    .option('--app <id>', 'App id', 'demo')
    .option('--data <dir>', 'Folder of the data', IMPORTED_DATA)
    .option('--json', 'Print one JSON document')
    .example('data generate', '120 days of the demo shop, up to now')
    .example('data generate --seed 2 --days 150 --data shop-data', 'Another demo shop, in its own folder')
    .action(async (options: GenerateOptions) => {
      const { seed, until = clock.now(), days, app, data: dir, json } = options;
      const progress = progressLine();
      const report = await writeDemoApp({
        dir,
        app,
        seed,
        from: until - days * DAY_MS,
        until,
        onProgress: (done) => progress.show(done.step, done.days, done.ofDays),
      }).finally(progress.end);
      if (json) {
        const about = { app, folder: dir, seed, days, until: new Date(until).toISOString() };
        const incidents = report.incidents.map(writtenIncident);
        console.log(JSON.stringify({ ...about, ...report, incidents }));
      } else console.log(generatedLines({ ...options, until }, report).join('\n'));
    });
}

function generatedLines(
  { app, seed, days, until, ...of }: GenerateOptions & { until: Millis },
  { events, sessions, users, newUsers, incidents }: DemoReport,
): string[] {
  return [
    `${app} in ${of.data}: the demo shop of seed ${seed}, ${days} days to ${minuteText(until)}`,
    `${counted(events, 'event')}, ${counted(sessions, 'session')}, ${counted(users, 'user')}, ${counted(newUsers, 'new user')}`,
    '',
    `${counted(incidents.length, 'incident')}, times in UTC:`,
    ...incidents.map(({ startsAt, endsAt, kind }) => {
      const hours = `${(endsAt - startsAt) / HOUR_MS} h`.padStart(6);
      return `  ${minuteText(startsAt).slice(0, 16)} ${hours}  ${kind}`;
    }),
  ];
}
