import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseMapping } from '../../../../../local/data/import/fields.ts';
import { importEvents } from '../../../../../local/data/import/import-events.ts';
import type { Lake } from '../../../../../local/data/publish/lake.ts';
import { publishApp } from '../../../../../local/data/publish/publish.ts';
import { UpstreamError } from '../../../../../shared/runtime/errors.ts';
import { HOUR_MS } from '../../../../../shared/units/durations.ts';
import { folderLake } from '../../../../fakes/folder-lake.ts';

const START = Date.UTC(2026, 2, 1);

interface Event {
  user: number;
  /** Hours since `START`. Events of one user within half an hour are one session, also across midnight. */
  hour: number;
  utm: string;
}

type Step =
  | { do: 'import'; existing: 'append' | 'replace'; events: Event[] }
  | { do: 'repeat' }
  | { do: 'publish' }
  /** The publication ends at the nth write, before or after it has reached the lake. */
  | { do: 'kill'; at: number; isWritten: boolean }
  | { do: 'damage'; file: number; how: 'remove' | 'overwrite' };

const events = fc.array(
  fc.record({
    user: fc.nat(2),
    hour: fc.integer({ min: 0, max: 40 * 4 }).map((quarter) => quarter / 4),
    utm: fc.constantFrom('', 'mail', 'ad'),
  }),
  { minLength: 1, maxLength: 14, size: 'max' },
);

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('import'), existing: fc.constant('append'), events }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('import'), existing: fc.constant('replace'), events }),
  },
  { weight: 1, arbitrary: fc.constant({ do: 'repeat' as const }) },
  { weight: 4, arbitrary: fc.constant({ do: 'publish' as const }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('kill'), at: fc.nat(9), isWritten: fc.boolean() }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('damage'),
      file: fc.nat(20),
      how: fc.constantFrom('remove', 'overwrite'),
    }),
  },
) as fc.Arbitrary<Step>;

const csvOf = (rows: readonly Event[]): string =>
  [
    'event_name,user_id,recorded_at,screen_name,utm',
    ...rows.map(({ user, hour, utm }) => {
      const at = new Date(START + hour * HOUR_MS).toISOString();
      return `${user ? 'open' : 'buy'},u${user},${at},Screen${Math.floor(hour) % 3},${utm}`;
    }),
    '',
  ].join('\n');

/** Fails at the nth put or removal and at each later one, like a process that is killed there. */
function killed(lake: Lake, at: number, isWritten: boolean): Lake {
  let writes = 0;
  const dying = async <T>(write: () => Promise<T>): Promise<T> => {
    writes += 1;
    if (writes === at + 1 && isWritten) await write();
    if (writes > at) throw new UpstreamError('killed', { retryable: true });
    return write();
  };
  return {
    ...lake,
    put: (...args) => dying(() => lake.put(...args)),
    remove: (keys) => (keys.length > 0 ? dying(() => lake.remove(keys)) : Promise.resolve()),
  };
}

async function parquetIn(folder: string): Promise<Map<string, Buffer>> {
  const names = await readdir(folder, { recursive: true }).catch(() => []);
  const paths = names.filter((name) => name.endsWith('.parquet')).sort();
  return new Map(
    await Promise.all(paths.map(async (path) => [path, await readFile(join(folder, path))] as const)),
  );
}

async function replay(root: string, steps: readonly Step[]) {
  const [dir, out, file] = [join(root, 'data'), join(root, 'lake'), join(root, 'e.csv')];
  const lake = folderLake(out);
  const publish = (to: Lake) => publishApp({ dir, app: 'shop', lake: to, remove: true });
  const load = (existing: 'append' | 'replace', skipBad: boolean) =>
    importEvents({
      ...{ file, dir, app: 'shop', mapping: parseMapping([], []), timeFormat: 'iso', skipBad, existing },
    });
  await writeFile(file, csvOf([{ user: 0, hour: 30, utm: '' }]));
  await load('replace', false);
  for (const each of steps) {
    if (each.do === 'import') {
      await writeFile(file, csvOf(each.events));
      // The same events again are refused, as in the command.
      await load(each.existing, true).catch(() => {});
    } else if (each.do === 'repeat') await load('append', true).catch(() => {});
    else if (each.do === 'publish') await publish(lake);
    else if (each.do === 'kill') await publish(killed(lake, each.at, each.isWritten)).catch(() => {});
    else {
      const paths = [...(await parquetIn(out)).keys()];
      const path = paths[each.file % paths.length];
      if (path && each.how === 'remove') await rm(join(out, path));
      else if (path) await writeFile(join(out, path), 'damaged');
    }
  }
  await publish(lake);
  const again = await publish(lake);
  await publish(folderLake(join(root, 'from-scratch')));
  return {
    again,
    published: await parquetIn(out),
    expected: await parquetIn(join(root, 'from-scratch')),
  };
}

test('any history ends with the files of a publication from scratch', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 8, size: 'max' }), async (steps) => {
      const root = await mkdtemp(join(tmpdir(), 'history-'));
      try {
        const { again, published, expected } = await replay(root, steps);
        expect([...published.keys()]).toEqual([...expected.keys()]);
        for (const [path, content] of expected) expect(published.get(path)?.equals(content), path).toBe(true);
        expect(again).toMatchObject({ written: 0, removed: 0, unchanged: expected.size });
      } finally {
        await rm(root, { recursive: true });
      }
    }),
    { numRuns: 12 },
  );
});
