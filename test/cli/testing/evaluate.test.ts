import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { evaluateCommand, evaluatedText } from '../../../cli/testing/evaluate.ts';
import { HOUR_MS } from '../../../shared/units/durations.ts';
import { csvRows } from '../../../workbench/series/csv-rows.ts';
import {
  type DefaultRule,
  defaultRule,
  evaluateSeries,
  type Outcome,
  type SeriesPlan,
} from '../../../workbench/series/evaluate-series.ts';
import { RowTimes } from '../../../workbench/series/row-times.ts';
import { MONDAY, ROUTES, ruleNamed } from '../../fixtures/builders.ts';
import { deltawatch, launch, temporaryFolder } from '../../fixtures/deltawatch.ts';

type Asked = Partial<DefaultRule> & Partial<SeriesPlan>;

async function evaluated(text: string, asked: Asked = {}): Promise<Outcome[]> {
  const { window = 'hour', zone = 'UTC', isMean = false, ...plan } = asked;
  const rows = csvRows(Readable.from([Buffer.from(text)]), { name: 'x.csv', times: new RowTimes(zone) });
  const rule = defaultRule({ window, zone, isMean });
  return Readable.from(evaluateSeries(rows, { rule, ...plan })).toArray();
}

/** The start and value of each window; a dash stands for an unknown value. */
async function windows(text: string, asked?: Asked): Promise<string[]> {
  return (await evaluated(text, asked)).map((outcome) => {
    const { window } = outcome.kind === 'open' ? outcome : outcome.evaluation.current;
    const start = new Date(window.startAt).toISOString().slice(0, 16);
    return outcome.kind === 'open' ? `${start} open` : `${start} ${outcome.evaluation.current.value ?? '-'}`;
  });
}

describe('rows', () => {
  test.each([
    ['UTC times', 'timestamp,value\n2026-03-02T00:00Z,2\n2026-03-02T01:00Z,3'],
    ['offsets', 'timestamp,value\n2026-03-02T01:00+01:00,2\n2026-03-01 20:00:00-0500,3'],
    ['no offset', 'timestamp,value\n2026-03-02,1\n2026-03-02 00:10:00.5,1\n2026-03-02 01:00,3'],
    ['Unix seconds', 'timestamp,value\n1772409600,2\n1772413200.0,3'],
    ['Unix milliseconds', 'timestamp,value\n1772409600000,2\n1772413200000,3'],
    [
      'quotes and a byte order mark',
      '\uFEFF"timestamp","value"\r\n"2026-03-02","2"\r\n2026-03-02 01:00,3\r\n',
    ],
    ['columns in another order', 'value,note,Timestamp\n2,"a, b",2026-03-02\n3,c,2026-03-02 01:00'],
    ['columns of other names', 'time,count\n2026-03-02,2\n2026-03-02 01:00,3'],
    ['no header', '2026-03-02,2\n2026-03-02 01:00,3'],
  ])('of %s are read', async (_, text) => {
    expect(await windows(text)).toEqual(['2026-03-02T00:00 2', '2026-03-02T01:00 open']);
  });

  test.each([
    ['2026-03-02 00:00,1\nyesterday,2', 'x.csv:3 has an invalid time, "yesterday": use 2026-03-01,'],
    ['2026-02-30,1', 'x.csv:2 has an invalid time, "2026-02-30"'],
    ['2026-03-02,"1,5"', 'x.csv:2 has an invalid number, "1,5": use a number such as 1234.5'],
    ['2026-03-02,1,5', 'x.csv:2 has 3 fields and the first line 2: use a decimal point'],
    ['2026-03-02,1e400', 'x.csv:2 has an invalid number, "1e400"'],
    ['2026-03-02', 'x.csv:2 has no value'],
    ['2026-03-02,-3', 'x.csv:2 has -3: values must be 0 or more'],
    ['2026-03-02 02:00,1\n2026-03-02 01:00,2', 'x.csv:3 is earlier than line 2: sort the file'],
    ['2026-03-02,"1', 'x.csv:2 is not valid CSV: close quotes'],
    ['2026-03-02,\u001b[31m', 'has an invalid number, "[31m"'],
  ])('rejects %j and names the line', async (rows, said) => {
    await expect(evaluated(`timestamp,value\n${rows}`)).rejects.toThrow(said);
  });
});

describe('windows', () => {
  test.each<[string, string, Asked, string]>([
    ['sum rows', '00:00 1, 00:00 2, 00:59 3, 01:00 9', {}, '00:00 6, 01:00 open'],
    ['average rows with --mean', '00:00 1, 00:30 4, 01:00 9', { isMean: true }, '00:00 2.5, 01:00 open'],
    ['without rows are zero', '00:00 1, 02:00 1', {}, '00:00 1, 01:00 0, 02:00 open'],
    ['can be missing without rows', '00:00 1, 02:00 1', { gaps: 'missing' }, '00:00 1, 01:00 -, 02:00 open'],
    ['with an empty value have no value', '00:00 1, 00:30 , 01:00 1', {}, '00:00 -, 01:00 open'],
    ['average the known values', '00:00 1, 00:30 null, 01:00 1', { isMean: true }, '00:00 1, 01:00 open'],
    ['that begin before the series are left out', '00:10 1, 01:10 2, 02:00 3', {}, '01:00 2, 02:00 open'],
    ['that are declared complete count', '00:00 1, 00:10 1', { isComplete: true }, '00:00 2'],
  ])('%s', async (_, rows, asked, expected) => {
    const lines = rows.split(', ').map((row) => `2026-03-02 ${row.slice(0, 5)},${row.slice(6)}\n`);
    expect(await windows(`timestamp,value\n${lines.join('')}`, asked)).toEqual(
      expected.split(', ').map((each) => `2026-03-02T${each}`),
    );
  });

  test.each<[string, string[], string[]]>([
    [
      'a repeated hour with one row each',
      ['2026-10-25 01:00', '2026-10-25 02:00', '2026-10-25 02:00', '2026-10-25 03:00'],
      ['2026-10-24T23:00 1', '2026-10-25T00:00 1', '2026-10-25T01:00 1', '2026-10-25T02:00 open'],
    ],
    [
      'a repeated hour that the file has once',
      ['2026-10-25 02:00', '2026-10-25 02:10', '2026-10-25 02:10', '2026-10-25 03:00'],
      ['2026-10-25T00:00 3', '2026-10-25T01:00 0', '2026-10-25T02:00 open'],
    ],
    [
      'a skipped hour',
      ['2026-03-29 01:00', '2026-03-29 02:00', '2026-03-29 03:00', '2026-03-29 04:00'],
      ['2026-03-29T00:00 1', '2026-03-29T01:00 2', '2026-03-29T02:00 open'],
    ],
  ])('handle %s', async (_, times, expected) => {
    const text = `timestamp,value\n${times.map((time) => `${time},1\n`).join('')}`;
    expect(await windows(text, { zone: 'Europe/Berlin' })).toEqual(expected);
  });
});

/** Hourly values with a daily wave; `valueAt` can change each. */
function series(
  hours: number,
  valueAt: (hour: number, normal: number) => number = (_, normal) => normal,
): string {
  const rows = Array.from({ length: hours }, (_, hour) => {
    const normal = Math.round(1_000 + 600 * Math.sin((hour * Math.PI) / 12) + 30 * Math.sin(hour * 7.3));
    return `${new Date(MONDAY + hour * HOUR_MS).toISOString()},${valueAt(hour, normal)}\n`;
  });
  return `timestamp,value\n${rows.join('')}`;
}

const WEEKS = 7 * 168;

describe('verdicts', () => {
  test('report an outage and its end, and no echo later', async () => {
    const outcomes = await evaluated(
      series(WEEKS, (hour, normal) => (hour >= 840 && hour < 843 ? 0 : normal)),
    );
    const events = outcomes.flatMap((outcome) =>
      outcome.kind === 'evaluated' ? outcome.news.map(({ transition }) => transition) : [],
    );
    expect(events).toEqual(['fired', 'recovered']);
    const echoes = outcomes.filter(
      (outcome, hour) => hour > 850 && outcome.kind === 'evaluated' && outcome.evaluation.verdict !== 'clear',
    );
    expect(echoes).toEqual([]);
  });
});

describe('the text', () => {
  const outage = series(WEEKS, (hour, normal) => (hour === 840 ? 0 : normal));

  async function textOf(text: string, asked: Asked, options: { json?: true; all?: true }): Promise<string> {
    const outcomes = await evaluated(text, asked);
    const rule = ruleNamed('series', { zone: asked.zone ?? 'UTC' });
    const chunks = await Readable.from(evaluatedText(Readable.from(outcomes), rule, options)).toArray();
    return chunks.join('');
  }

  test('has breaches, changes of state and the open window in 80 columns', async () => {
    const lines = (await textOf(outage, { zone: 'Europe/Berlin' }, {})).trimEnd().split('\n');
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
    expect(lines[0]).toMatch(/^window +value +expected +normal +verdict +state$/);
    expect(lines[1]).toMatch(/^2026-04-06 02:00 +0 +\d.* breached +firing$/);
    expect(lines[2]).toMatch(/^ {2}fired: 0, where \d+ is expected /);
    expect(lines.slice(-3)).toEqual([
      '1,175 windows from 2026-03-02 01:00 to 2026-04-20 01:00 (Europe/Berlin)',
      expect.stringMatching(/^1 breached, fired 1 time, \d+ inconclusive, 0 without data$/),
      'the last window, from 2026-04-20 01:00, is not evaluated: no row follows it',
    ]);
    const all = await textOf(outage, { zone: 'Europe/Berlin' }, { all: true });
    expect(all.match(/ clear /g)?.length).toBeGreaterThan(1_000);
  });

  test('as JSON is a short line per window', async () => {
    const lines = linesOf(await textOf(outage, {}, { json: true }));
    expect(lines).toHaveLength(WEEKS - 1);
    const keys = ['start', 'end', 'value', 'expected', 'low', 'high', 'verdict', 'state', 'code'];
    expect(Object.keys(lines[0] ?? {})).toEqual(keys);
    expect(lines[0]).toMatchObject({
      ...{ value: 1000, expected: null, low: null, high: null },
      ...{ verdict: 'inconclusive', state: 'normal', code: 'no-season' },
    });
    expect(lines[839]).toMatchObject({ verdict: 'clear', code: 'expected' });
    expect(lines[840]).toMatchObject({
      ...{ start: '2026-04-06T00:00:00.000Z', end: '2026-04-06T01:00:00.000Z' },
      ...{ value: 0, verdict: 'breached', state: 'firing', transition: 'fired', code: 'unusual' },
    });
  });
});

describe('deltawatch evaluate', () => {
  const RULES = `
defaults: { app: a, owner: a, metric: event_count, every: hour, zone: Europe/Berlin, fire: { change: { below: -50% } } }
rules:
  - { id: parted, title: A, group_by: device_country }
  - { id: weekly, title: A, fire_after: 2 of 2 }
`;

  async function workplace() {
    const folder = await temporaryFolder();
    await writeFile(join(folder.path, 'rules.yaml'), RULES);
    await writeFile(join(folder.path, 'routes.yaml'), JSON.stringify(ROUTES));
    const text = series(WEEKS, (hour, normal) => (hour >= 840 && hour < 843 ? 0 : normal));
    await writeFile(join(folder.path, 'series.csv'), text);
    return folder;
  }

  test('uses the window, the bounds and the lifecycle of a rule', async () => {
    await using folder = await workplace();
    const args = ['evaluate', 'series.csv', '--rules', '.', '--rule', 'weekly', '--json'];
    const { code, stdout, stderr } = await deltawatch(args, folder.path);
    const lines = linesOf(stdout);
    const changes = lines.flatMap(({ transition }, hour) => (transition ? [`${hour} ${transition}`] : []));
    expect(changes).toEqual(['841 fired', '844 recovered']);
    expect(lines[840]).toMatchObject({ verdict: 'breached', state: 'pending', code: 'outside-bounds' });
    expect(stderr).toMatch(/^1,175 windows .*\n3 breached, fired 1 time/);
    expect(code).toBe(0);
  });

  test.each<[string[], string]>([
    [[], '--every is required without --rule'],
    [['--every', '2h'], 'Allowed choices are 1h, 1d, 1w'],
    [['--every', '1h', '--zone', 'Mars'], 'use an IANA time zone'],
    [['--rule', 'weekly', '--every', '1d'], "'--rule <id>' cannot be used with option '--every <span>'"],
    [['--rule', 'parted'], 'the rule parted watches several series'],
    [['--rule', 'x'], 'there is no rule "x" in the folder'],
    [['--every', '1h'], 'nowhere.csv: there is no such file'],
  ])('rejects %j', async (args, said) => {
    await using folder = await workplace();
    await expect(refused([...args, '--rules', folder.path])).rejects.toThrow(said);
  });

  test('ends without an error if the pipe closes', async () => {
    await using folder = await workplace();
    const command = `"${process.execPath}" cli/bin.js evaluate "${folder.path}/series.csv" --every 1h --json | head -1`;
    const { stdout, stderr } = await launch('sh', ['-c', command], process.cwd()).ended;
    expect(stdout).toMatch(/^\{.*\}\n$/);
    expect(stderr).not.toContain('EPIPE');
  });
});

/** What the tests read of a JSON line. */
interface Line {
  value: number | null;
  expected: number | null;
  low: number | null;
  high: number | null;
  verdict: string;
  transition?: string;
}

function linesOf(stdout: string): Line[] {
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
}

function refused(args: string[]): Promise<unknown> {
  const silent = () => {};
  const command = evaluateCommand().exitOverride().configureOutput({ writeOut: silent, writeErr: silent });
  return command.parseAsync(['nowhere.csv', ...args], { from: 'user' });
}
