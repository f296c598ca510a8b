import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { evaluateCommand } from '../../../cli/testing/evaluate.ts';
import { readRule } from '../../../cli/testing/one-rule.ts';
import { HOUR_MS } from '../../../shared/units/durations.ts';
import { csvRows } from '../../../workbench/series/csv-rows.ts';
import { defaultRule } from '../../../workbench/series/default-rule.ts';
import { evaluateSeries, type Outcome, type Plan } from '../../../workbench/series/evaluate-series.ts';
import { RowTimes } from '../../../workbench/series/row-times.ts';
import { cutBySpan, grainOf, type Span } from '../../../workbench/series/window-span.ts';
import { MONDAY } from '../../fixtures/builders.ts';
import { deltawatch, launch, temporaryFolder } from '../../fixtures/deltawatch.ts';

interface Asked {
  every?: Span;
  zone?: string;
  measure?: 'sum' | 'mean';
  gaps?: 'zero' | 'missing';
  isComplete?: boolean;
}

async function evaluated(text: string, asked: Asked = {}): Promise<Outcome[]> {
  const { every = '1h', zone = 'UTC', measure = 'sum', gaps = 'zero', isComplete = false } = asked;
  const plan: Plan = {
    rule: defaultRule({ grain: grainOf(every), zone, measure }),
    bucketing: { cut: cutBySpan(every, zone), measure, gaps },
    incidents: [],
    isComplete,
  };
  const rows = csvRows(Readable.from([Buffer.from(text)]), { name: 'x.csv', times: new RowTimes(zone) });
  const outcomes: Outcome[] = [];
  for await (const outcome of evaluateSeries(rows, plan)) outcomes.push(outcome);
  return outcomes;
}

/** The start and value of each window; a dash stands for an unknown value. */
async function windows(text: string, asked?: Asked): Promise<string[]> {
  return (await evaluated(text, asked)).map((outcome) => {
    const { window } = outcome.kind === 'open' ? outcome : outcome.evaluation;
    const start = new Date(window.startAt).toISOString().slice(0, 16);
    return outcome.kind === 'open' ? `${start} open` : `${start} ${outcome.evaluation.current.value ?? '-'}`;
  });
}

describe('rows', () => {
  test.each([
    ['UTC times', 'timestamp,value\n2026-03-02T00:10Z,2\n2026-03-02T01:00Z,3'],
    ['offsets', 'timestamp,value\n2026-03-02T01:10+01:00,2\n2026-03-01 20:00:00-0500,3'],
    ['no offset', 'timestamp,value\n2026-03-02 00:10:00.5,2\n2026-03-02 01:00,3'],
    ['Unix seconds', 'timestamp,value\n1772410200,2\n1772413200.0,3'],
    ['Unix milliseconds', 'timestamp,value\n1772410200000,2\n1772413200000,3'],
    [
      'quotes, a byte order mark and carriage returns',
      '\uFEFF"timestamp","value"\r\n"2026-03-02 00:10","2"\r\n2026-03-02 01:00,3\r\n',
    ],
    ['columns in another order', 'value,note,Timestamp\n2,"a, b",2026-03-02 00:10\n3,c,2026-03-02 01:00'],
    ['columns of other names', 'time,count\n2026-03-02 00:10,2\n2026-03-02 01:00,3'],
    ['no header', '2026-03-02 00:10,2\n2026-03-02 01:00,3'],
  ])('of %s are read', async (_, text) => {
    // Prepends a row at the start of the hour, so that the first window is complete.
    const [head = '', ...rows] = text.split(/(?<=\n)/);
    const first = /^"?[0-9]/.test(head) ? [head, ...rows] : rows;
    const header = first.length === rows.length ? head : '';
    const isSwapped = header.startsWith('value');
    const start = isSwapped ? '0,,2026-03-02T00:00Z\n' : '2026-03-02T00:00Z,0\n';
    expect(await windows(`${header}${start}${first.join('')}`)).toEqual([
      '2026-03-02T00:00 2',
      '2026-03-02T01:00 open',
    ]);
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
    ['2026-03-02,\u001b[31m', 'has an invalid number, "\\u001b[31m"'],
  ])('rejects %j and names the line', async (rows, said) => {
    await expect(evaluated(`timestamp,value\n${rows}`)).rejects.toThrow(said);
  });
});

describe('windows', () => {
  const H = (hour: string, value: string | number) => `2026-03-02 ${hour},${value}\n`;

  test.each<[string, string, Asked, string[]]>([
    [
      'sum rows',
      H('00:00', 1) + H('00:00', 2) + H('00:59', 3) + H('01:00', 9),
      {},
      ['00:00 6', '01:00 open'],
    ],
    [
      'average rows with --mean',
      H('00:00', 1) + H('00:30', 4) + H('01:00', 9),
      { measure: 'mean' },
      ['00:00 2.5', '01:00 open'],
    ],
    ['without rows are zero', H('00:00', 1) + H('02:00', 1), {}, ['00:00 1', '01:00 0', '02:00 open']],
    [
      'without rows are missing with --gaps missing',
      H('00:00', 1) + H('02:00', 1),
      { gaps: 'missing' },
      ['00:00 1', '01:00 -', '02:00 open'],
    ],
    [
      'with an empty value have no value',
      H('00:00', 1) + H('00:30', '') + H('01:00', 1),
      {},
      ['00:00 -', '01:00 open'],
    ],
    [
      'leave an empty value out of an average',
      H('00:00', 1) + H('00:30', 'null') + H('01:00', 1),
      { measure: 'mean' },
      ['00:00 1', '01:00 open'],
    ],
    [
      'that begin before the series are not evaluated',
      H('00:10', 1) + H('01:10', 2) + H('02:00', 3),
      {},
      ['01:00 2', '02:00 open'],
    ],
    [
      'that are declared complete are evaluated',
      H('00:00', 1) + H('00:10', 1),
      { isComplete: true },
      ['00:00 2'],
    ],
    [
      'span five minutes with --every 5m',
      H('00:00', 1) + H('00:12', 2),
      { every: '5m' },
      ['00:00 1', '00:05 0', '00:10 open'],
    ],
  ])('%s', async (_, rows, asked, expected) => {
    expect(await windows(`timestamp,value\n${rows}`, asked)).toEqual(
      expected.map((each) => `2026-03-02T${each}`),
    );
  });

  test.each<[string, string[], string[]]>([
    [
      'a repeated hour with one row each',
      ['2026-10-25 01:00', '2026-10-25 02:00', '2026-10-25 02:00', '2026-10-25 03:00'],
      ['2026-10-24T23:00 1', '2026-10-25T00:00 1', '2026-10-25T01:00 1', '2026-10-25T02:00 open'],
    ],
    [
      'a repeated hour with two rows each',
      ['2026-10-25 02:00', '2026-10-25 02:30', '2026-10-25 02:00', '2026-10-25 02:30', '2026-10-25 03:00'],
      ['2026-10-25T00:00 2', '2026-10-25T01:00 2', '2026-10-25T02:00 open'],
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

  test('of a day have 23 hours when clocks go forward', async () => {
    const text = 'timestamp,value\n2026-03-28,1\n2026-03-29,1\n2026-03-30,1\n';
    const outcomes = await evaluated(text, { every: '1d', zone: 'Europe/Berlin' });
    const hours = outcomes.map((outcome) => {
      const { window } = outcome.kind === 'open' ? outcome : outcome.evaluation;
      return (window.endAt - window.startAt) / HOUR_MS;
    });
    expect(hours).toEqual([24, 23, 24]);
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

  test('do not depend on later rows', async () => {
    const cut = 900;
    const serialized = (outcomes: Outcome[]) =>
      outcomes.slice(0, cut).map((outcome) => JSON.stringify(outcome));
    const whole = serialized(await evaluated(series(WEEKS)));
    expect(whole).toHaveLength(cut);
    expect(serialized(await evaluated(series(cut + 1)))).toEqual(whole);
    expect(
      serialized(
        await evaluated(series(WEEKS, (hour, normal) => (hour > cut ? (hour * 7919) % 5_000 : normal))),
      ),
    ).toEqual(whole);
  });

  test('fire for a first value after zeros', async () => {
    const outcome = (await evaluated(series(WEEKS, (hour) => (hour === 900 ? 50 : 0))))[900];
    expect(outcome).toMatchObject({
      kind: 'evaluated',
      evaluation: { verdict: 'breached' },
      state: 'firing',
    });
  });
});

describe.concurrent('deltawatch evaluate', () => {
  async function run(text: string, args: string[]) {
    await using folder = await temporaryFolder();
    await writeFile(join(folder.path, 'series.csv'), text);
    return await deltawatch(['evaluate', 'series.csv', ...args], folder.path);
  }

  const outage = series(WEEKS, (hour, normal) => (hour === 840 ? 0 : normal));

  test('prints transitions, gates and the open window in 80 columns', async () => {
    const { code, stdout } = await run(outage, ['--every', '1h', '--zone', 'Europe/Berlin', '--gates']);
    const lines = stdout.trimEnd().split('\n');
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
    expect(lines[0]).toMatch(/^window +value +expected +interval +score verdict +state$/);
    expect(lines[1]).toMatch(/^2026-04-06 02:00 +0 +\d.* breached +firing$/);
    expect(stdout).toContain('fired: 0; expected ');
    expect(stdout).toContain('  fail season: ');
    expect(lines.at(-1)).toBe('the last window, from 2026-04-20 01:00, is not evaluated: no row follows it');
    expect(code).toBe(0);
  });

  test.each([
    [600, 500, /with \d+ an hour expected, a rise fires from \+[\d.]+% and a fall from -[\d.]+%/],
    [600, 3, /with [\d.]+ an hour expected, a rise fires from x[\d.]+; a fall cannot: that is too few/],
    [24, 500, /no verdict before 2026-03-04, when two days are known/],
  ])('says what fires after %i hours of about %i', async (hours, mean, said) => {
    const { stdout } = await run(
      series(hours, (hour) => Math.round(mean + Math.sqrt(mean) * Math.sin(hour * 12.9898))),
      ['--every', '1h'],
    );
    expect(stdout.replaceAll(/\s+/g, ' ')).toMatch(said);
  });

  test('prints a short JSON line per window', async () => {
    const { code, stdout } = await run(outage, ['--every', '1h', '--json', '--fail-on-breach']);
    const lines = linesOf(stdout);
    expect(lines).toHaveLength(WEEKS - 1);
    const keys = ['start', 'end', 'value', 'expected', 'low', 'high', 'verdict', 'code'];
    expect(Object.keys(lines[0] ?? {})).toEqual(keys);
    expect(lines[0]).toMatchObject({
      ...{ value: 1000, expected: null, low: null, high: null },
      ...{ verdict: 'inconclusive', code: 'no-season' },
    });
    expect(lines[839]).toMatchObject({ verdict: 'clear', code: 'expected' });
    expect(lines[840]).toMatchObject({
      ...{ start: '2026-04-06T00:00:00+00:00', end: '2026-04-06T01:00:00+00:00' },
      ...{ value: 0, verdict: 'breached', transition: 'fired', code: 'unusual' },
    });
    expect(stdout.length / lines.length).toBeLessThan(180);
    expect(code).toBe(1);
  });

  test('prints every field of a window with --json --gates', async () => {
    const { stdout } = await run(outage, ['--every', '1h', '--json', '--gates']);
    const lines = linesOf(stdout);
    const keys = ['start', 'end', 'value', 'expected', 'low', 'high', 'score', 'limit'];
    const rest = ['verdict', 'state', 'transition', 'code', 'gates', 'reason'];
    expect(Object.keys(lines[0] ?? {})).toEqual([...keys, ...rest]);
    expect(lines[0]).toMatchObject({ state: 'normal', transition: null });
    expect(lines[840]).toMatchObject({ value: 0, state: 'firing', transition: 'fired', code: 'unusual' });
    const gates = lines[840]?.gates?.map(({ gate }) => gate);
    expect(gates).toEqual(['settled', 'fresh', 'volume', 'season']);
  });

  test('rounds what the model expects, and no value or baseline', async () => {
    const text = series(WEEKS, (_, normal) => 1_234 * normal + 7);
    const [brief, whole] = await Promise.all(
      [['--json'], ['--json', '--gates']].map(async (args) => {
        const { value, expected, low, high } =
          linesOf((await run(text, ['--every', '1h', ...args])).stdout).at(-1) ?? {};
        return [value, expected, low, high].map(Number);
      }),
    );
    expect(brief).toEqual(whole?.map(Math.round));
    expect(whole?.filter((each) => Number.isInteger(each))).toHaveLength(1);

    const weeks = '2026-03-02,1234567\n2026-03-09,1234568\n2026-03-16,0.5\n2026-03-23,1\n';
    const [, second] = linesOf((await run(weeks, ['--every', '1w', '--json'])).stdout);
    expect(second).toMatchObject({ value: 1_234_568, expected: 1_234_567 });
  });

  describe('with --rule', () => {
    const shared = 'title: A, app: a, owner: a, metric: event_count, every: hour, zone: Europe/Berlin';
    const RULE = (id: string, own: string) => `  - { id: ${id}, ${shared}, ${own} }\n`;
    const DOUBLED = RULE('doubled', 'compare: { to: previous_period }, fire: { change: { above: 99% } }');
    const WEEKLY = RULE('weekly', 'fire: { change: { below: -50% } }, fire_after: 2 of 2');

    async function byRule(rules: string, text: string, args: string[]) {
      await using folder = await temporaryFolder();
      await writeFile(join(folder.path, 'rules.yaml'), `rules:\n${rules}`);
      await writeFile(join(folder.path, 'series.csv'), text);
      return await deltawatch(['evaluate', 'series.csv', ...args], folder.path);
    }

    test('reports a rise from zero without a percentage', async () => {
      const text = series(100, (hour) => (hour === 90 ? 50 : 0));
      const { stdout } = await byRule(DOUBLED, text, ['--rule', 'rules.yaml', '--json', '--gates']);
      const line = JSON.parse(stdout.split('\n')[90] ?? '');
      expect(line).toMatchObject({ value: 50, expected: 0, verdict: 'breached', transition: 'fired' });
      expect(line.reason).toContain('(new, from 0)');
    });

    test('uses the gates and the lifecycle of the rule', async () => {
      const text = series(WEEKS, (hour, normal) => (hour >= 840 && hour < 843 ? 0 : normal));
      const args = ['--rule', 'rules.yaml#weekly', '--json', '--gates'];
      const lines = linesOf((await byRule(DOUBLED + WEEKLY, text, args)).stdout);
      const changes = lines.flatMap(({ transition }, hour) => (transition ? [`${hour} ${transition}`] : []));
      expect(changes).toEqual(['841 fired', '844 recovered']);
      expect(lines[840]).toMatchObject({ verdict: 'breached', state: 'pending' });
      const gates = lines[841]?.gates?.map(({ gate }) => gate);
      expect(gates).toEqual(['settled', 'fresh', 'volume', 'threshold', 'significance']);
    });

    test.each<[string, string, string]>([
      ['several rules', 'rules.yaml', 'has several rules: choose one as '],
      ['no such rule', 'rules.yaml#x', 'has no rule "x": it has doubled, weekly'],
      ['no such file', 'x.yaml', 'x.yaml: there is no such file'],
    ])('reports %s', async (_, place, said) => {
      await using folder = await temporaryFolder();
      await writeFile(join(folder.path, 'rules.yaml'), `rules:\n${DOUBLED}${WEEKLY}`);
      await expect(readRule(join(folder.path, place))).rejects.toThrow(said);
    });

    test('rejects options that contradict the rule', async () => {
      await using folder = await temporaryFolder();
      await writeFile(join(folder.path, 'rules.yaml'), `rules:\n${DOUBLED}`);
      const given = ['--rule', join(folder.path, 'rules.yaml'), '--every', '1d'];
      await expect(refused(given)).rejects.toThrow('the rule doubled evaluates each hour in Europe/Berlin');
    });
  });

  test.each<[string[], string]>([
    [[], '--every is required without --rule'],
    [['--every', '2h'], 'Allowed choices are 5m,'],
    [['--every', '1h', '--zone', 'Mars'], 'Use an IANA time zone'],
    [['--every', '1h', '--mean', '--gaps', 'zero'], '--mean does not go with --gaps zero'],
    [
      ['--every', '1h', '--holidays', 'XX'],
      'unknown country "XX"; use a code of two letters whose public holidays are known, such as "DE"',
    ],
  ])('rejects %j', async (args, said) => {
    await expect(refused(args)).rejects.toThrow(said);
  });

  test('reports a missing file', async () => {
    await expect(refused(['--every', '1h'])).rejects.toThrow('nowhere.csv: there is no such file');
  });

  test('ends without an error if the pipe closes', async () => {
    await using folder = await temporaryFolder();
    await writeFile(join(folder.path, 'series.csv'), outage);
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
  transition?: string | null;
  gates?: { gate: string }[];
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
