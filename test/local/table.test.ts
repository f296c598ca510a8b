import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CreateTableCommand } from '@aws-sdk/client-dynamodb';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startEmulator } from '../../local/emulator.ts';
import { clientOf, openLocalTable } from '../../local/table.ts';
import { ManualClock } from '../../shared/runtime/clock.ts';
import { alertStoreIn } from '../../shared/store/alert-store.ts';
import { TABLE } from '../../shared/store/table-schema.ts';
import { aFiringAlert, aQuietAlert, NOW } from '../contracts/samples.ts';

/** Writes a table of an older version, without indexes. */
async function writeOldTable(folder: string, name: string): Promise<void> {
  const emulator = await startEmulator(folder);
  const client = clientOf(emulator.socketPath);
  const key = TABLE.partitionKey;
  const create = new CreateTableCommand({
    TableName: name,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: [{ AttributeName: key.name, AttributeType: key.type }],
    KeySchema: [{ AttributeName: key.name, KeyType: 'HASH' }],
  });
  await client.send(create);
  client.destroy();
  await emulator.close();
}

describe('openLocalTable', () => {
  const clock = new ManualClock(NOW);
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'deltawatch-table-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  test('keeps saved items and their index after the process is killed', async () => {
    const writer = fileURLToPath(new URL('./table-writer.ts', import.meta.url));
    const child = spawn(process.execPath, [writer, folder], { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(child.stdout, 'data');
    child.kill('SIGKILL');
    await once(child, 'exit');

    const table = await openLocalTable(clock, folder);
    const store = alertStoreIn(table);
    expect(await store.loadOfRule(aFiringAlert().ruleId)).toHaveLength(50);
    expect(await store.loadPending(NOW)).toHaveLength(50);
    await table.close();
  });

  test('rejects a folder of an older version and keeps it unchanged', async () => {
    const { close, name } = await openLocalTable(clock);
    await close();
    await writeOldTable(folder, name);
    for (const _ of ['once', 'again'])
      await expect(openLocalTable(clock, folder)).rejects.toThrow(
        `the table in ${folder} is from an older version`,
      );
  });

  test('keeps tables in memory separate, and private to this user', async () => {
    const [a, b] = await Promise.all([openLocalTable(clock), openLocalTable(clock)]);
    await alertStoreIn(a).save(aQuietAlert());
    expect(await alertStoreIn(b).load([aQuietAlert()])).toEqual([]);
    expect((await stat(dirname(a.socketPath))).mode & 0o777).toBe(0o700);
    await Promise.all([a.close(), b.close()]);
    expect(existsSync(dirname(a.socketPath))).toBe(false);
  });
});
