import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { blocksIn, documentAt } from '../../docs/documents.ts';
import { proposalOf } from '../../docs/proposals.ts';

const page = documentAt('docs/start/own-data.md');

test('the commands of own-data.md import data and replay rules over it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'readme-'));
  try {
    await writeFile(join(folder, 'orders.csv'), ordersWithALowDay());
    for (const { text } of blocksIn('yaml', [page])) {
      const file = join(folder, /^# (\S+)/.exec(text)?.[1] ?? 'rules.yaml');
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, text);
    }
    const printed: string[] = [];
    // There is no terminal to confirm at.
    for (const command of commands())
      printed.push(await run(command.replace('data import', 'data import --yes'), folder));
    expect(printed).toEqual([
      expect.stringMatching(/^shop in .deltawatch\/data: 1,5\d\d events imported/m),
      expect.stringMatching(/^1 rule is valid$/m),
      expect.stringMatching(/^orders +1 [\s\S]*^1 alert,/m),
    ]);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('own-data.md shows the mapping as the command prints it', async () => {
  const [csv] = blocksIn('csv', [page]);
  const [shown] = blocksIn('text', [page]);
  expect(await proposalOf('orders.csv', csv?.text ?? '')).toContain(shown?.text.trimEnd());
});

/** The commands of the page, one per line. */
function commands(): string[] {
  return blocksIn('sh', [page]).flatMap(({ text }) =>
    text
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

/** A file with the columns of the page; on Sunday, 22 March, there are few orders. */
function ordersWithALowDay(): string {
  const [csv] = blocksIn('csv', [page]);
  const [header = ''] = csv?.text.split('\n') ?? [];
  expect(header).toBe('at,customer,type,country');
  const rows = Array.from({ length: 25 }, (_, day) => {
    const events = day === 21 ? 12 : 60 + ((day * 7) % 9);
    return Array.from({ length: events }, (_, i) => {
      const at = new Date(Date.UTC(2026, 2, 1 + day, 5, 12 * i)).toISOString();
      return `${at},c-${(i * 13 + day) % 40},${i % 3 === 0 ? 'search' : 'order'},Germany`;
    });
  });
  return `${[header, ...rows.flat()].join('\n')}\n`;
}
