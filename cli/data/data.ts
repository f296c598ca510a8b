import { Command } from 'commander';
import { writeDemoApp } from '../../local/data/demo/demo-app.ts';
import type { Incident } from '../../local/data/demo/incidents.ts';
import { counted, progressLine } from '../../local/terminal.ts';
import { type Clock, type Millis, systemClock } from '../../shared/runtime/clock.ts';
import { examples, instant, wholeNumber } from '../terminal/arguments.ts';
import { ASK, type Ask } from '../terminal/confirm.ts';
import { withUsage } from '../terminal/usage.ts';
import { addImport } from './data-import.ts';
import { addPublish } from './data-publish.ts';
import { addSettings } from './data-settings.ts';

const DEFAULT_DIR = '.deltawatch/data';
const DAY = 86_400_000;

/** `deltawatch data`: fills the folder from which the data access service reads. */
export function dataCommand(clock: Clock = systemClock, ask: Ask = ASK): Command {
  const data = withUsage(new Command('data')).description(
    'generate a demo app, import events, publish them to S3, change settings',
  );
  addGenerate(data, clock);
  addImport(data, DEFAULT_DIR, { clock, ask });
  addPublish(data, DEFAULT_DIR, clock);
  addSettings(data, DEFAULT_DIR, clock);
  return data;
}

interface GenerateOptions {
  seed: number;
  until?: Millis;
  days: number;
  app: string;
  data: string;
}

function addGenerate(data: Command, clock: Clock): void {
  data
    .command('generate')
    .description('write a demo shop, the same for the same seed, with incidents to find')
    .option('--seed <number>', 'which demo shop', wholeNumber, 1)
    .option(
      '--until <time>',
      'where its data ends, 2026-03-01 or 2026-03-01T06:00Z; now if left out',
      instant,
    )
    .option('--days <number>', 'days of data before that', wholeNumber, 120)
    .option('--app <id>', 'id of the app', 'demo')
    .option('--data <dir>', 'folder of the data', DEFAULT_DIR)
    .addHelpText(
      'after',
      examples(
        ['data generate', '120 days of the demo shop, up to now'],
        ['data generate --seed 2 --days 150 --data shop-data', 'another, in a folder of its own'],
      ),
    )
    .action(async ({ seed, until = clock.now(), days, app, data: dir }: GenerateOptions) => {
      const progress = progressLine();
      const report = await writeDemoApp({
        dir,
        app,
        seed,
        from: until - days * DAY,
        until,
        onProgress: (done) => progress.show(done.step, done.days, done.ofDays),
      }).finally(progress.end);
      const { sessions, events, users, newUsers, incidents } = report;
      console.log(`${app} in ${dir}: the demo shop of seed ${seed}, ${days} days to ${minute(until)} UTC`);
      console.log(
        `${counted(events, 'event')}, ${counted(sessions, 'session')}, ${counted(users, 'user')}, ${counted(newUsers, 'new one')}`,
      );
      console.log(`\n${counted(incidents.length, 'incident')}, times in UTC:`);
      for (const incident of incidents) console.log(`  ${incidentLine(incident)}`);
    });
}

function incidentLine(incident: Incident): string {
  const hours = `${(incident.endsAt - incident.startsAt) / 3_600_000} h`.padStart(6);
  return `${minute(incident.startsAt)} ${hours}  ${incident.kind.padEnd(15)}${effectOf(incident)}`;
}

function effectOf(incident: Incident): string {
  switch (incident.kind) {
    case 'rage-surge':
      return `x ${incident.factor} on ${incident.screen}, ${incident.platform} ${incident.appVersion}`;
    case 'new-users-drop':
      return `x ${incident.factor} from release ${incident.appVersion} on`;
    case 'event-stops':
      return `no ${incident.eventName} in ${incident.country}`;
  }
}

function minute(at: Millis): string {
  return new Date(at).toISOString().slice(0, 16).replace('T', ' ');
}
