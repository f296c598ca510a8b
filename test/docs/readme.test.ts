import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { loadRuleFiles } from '../../shared/adapters/yaml-rule-files.ts';
import { newAlert } from '../../shared/alerting/alert.ts';
import { owe } from '../../shared/alerting/debts.ts';
import { evaluate } from '../../shared/alerting/judge.ts';
import { messageFor } from '../../shared/alerting/message.ts';
import { DAY, HOUR, ROUTES, value } from '../fixtures/builders.ts';
import { rendered } from '../golden/rendered.ts';
import { blocksIn, documentAt } from './documents.ts';
import { proposalOf } from './proposals.ts';

const readme = documentAt('README.md');

test('shows a message as Slack is sent it', async () => {
  const loaded = await loadRuleFiles('rules');
  const rule = loaded.kind === 'loaded' && loaded.ruleSet.rules.find(({ id }) => id === 'new-users');
  if (!rule || rule.members) throw new Error('the demo has no rule on new users');
  const friday = Date.UTC(2026, 9, 22, 22);
  const day = (daysBack: number, newUsers: number) => {
    const startAt = friday - daysBack * DAY;
    return { window: { startAt, endAt: startAt + DAY }, reading: value(newUsers) };
  };
  const usual = (daysBack: number) => 130 + ((daysBack * 37) % 41);
  const evaluation = evaluate(rule, {
    current: day(0, 28),
    baseline: { ...day(7, 132), origin: { of: 'window' } },
    surprise: undefined,
    knownSinceAt: null,
    newSinceAt: null,
    isTooNew: false,
    holiday: null,
    previous: value(136),
    past: Array.from({ length: 21 }, (_, i) => ({
      current: day(i + 1, usual(i + 1)),
      baseline: day(i + 8, usual(i + 8)),
    })),
    newestDataAt: friday + DAY + HOUR,
    fired: null,
  });
  expect(evaluation.verdict).toBe('breached');

  const scheduledAt = friday + DAY + 1.5 * HOUR;
  const alert = owe(newAlert({ ruleId: rule.id, segment: null }, 'meaning', friday), rule, ROUTES, {
    transition: 'fired',
    reason: evaluation.reason,
    windowEndAt: friday + DAY,
    evaluation,
    firedWindowEndAt: null,
    tick: { id: 'tick', scheduledAt },
  });
  const owed = Object.entries(alert.owed).map(([key, debt]) => ({ key, alert, debt, rule }));
  const [shown] = blocksIn('text', [readme]);
  expect(wordsOf(shown?.text ?? '')).toBe(wordsOf(inChannel(rendered(messageFor(owed)))));
});

/** A message as it is rendered, without the line that a phone shows. */
function inChannel(text: string): string {
  return text.split('-----\n')[1] ?? '';
}

function wordsOf(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}

test('brings data in and simulates rules over them, word for word', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'readme-'));
  try {
    await writeFile(join(folder, 'orders.csv'), ordersWithAQuietDay());
    for (const { text } of blocksIn('yaml', [readme])) {
      const file = join(folder, /^# (\S+)/.exec(text)?.[1] ?? 'rules.yaml');
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, text);
    }
    const printed: string[] = [];
    // Nobody is at a terminal here to be asked.
    for (const command of commandsFrom('## Bring your own data'))
      printed.push(await run(command.replace('data import', 'data import --yes'), folder));
    expect(printed).toEqual([
      expect.stringMatching(/^shop in .deltawatch\/data: 1,5\d\d events imported/m),
      expect.stringMatching(/^1 rule is right$/m),
      expect.stringMatching(/^2026-03-22.23:00Z +fired +orders\b[^a-z]+to \d \(-8.*\n1 announcement\n$/),
    ]);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('shows what becomes of the columns as the command does', async () => {
  const [csv] = blocksIn('csv', [readme]);
  const [, shown] = blocksIn('text', [readme]);
  expect(await proposalOf('orders.csv', csv?.text ?? '')).toContain(shown?.text.trimEnd());
});

/** The commands in the section of this heading, each in one line. */
function commandsFrom(heading: string): string[] {
  const [, section = ''] = readme.text.split(`${heading}\n`);
  const [body = ''] = section.split('\n## ');
  return [...body.matchAll(/^```sh\n([\s\S]*?)^```/gm)].flatMap(([, lines = '']) =>
    lines
      .replaceAll(/ *\\\n */g, ' ')
      .trimEnd()
      .split('\n'),
  );
}

async function run(command: string, cwd: string): Promise<string> {
  const [npx, name, ...words] = command.split(' ');
  expect([npx, name]).toEqual(['npx', 'deltawatch']);
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [join(process.cwd(), 'cli/bin.js'), ...words],
    {
      cwd,
    },
  );
  return stdout;
}

/** With the columns that the README shows; on Sunday, 22 March, hardly anybody orders. */
function ordersWithAQuietDay(): string {
  const [csv] = blocksIn('csv', [readme]);
  const [header = ''] = csv?.text.split('\n') ?? [];
  expect(header).toBe('at,customer,type,country');
  const rows = Array.from({ length: 25 }, (_, day) => {
    const events = day === 21 ? 12 : 60 + ((day * 7) % 9);
    return Array.from({ length: events }, (_, i) => {
      const at = new Date(Date.UTC(2026, 2, 1 + day, 6, 12 * i)).toISOString();
      return `${at},c-${(i * 13 + day) % 40},${i % 3 === 0 ? 'search' : 'order'},Germany`;
    });
  });
  return `${[header, ...rows.flat()].join('\n')}\n`;
}
