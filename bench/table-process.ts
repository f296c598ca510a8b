import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import * as z from 'zod';
import type { Clock } from '../shared/runtime/clock.ts';
import { type EmulatedTable, joinEmulatedTable } from '../test/fixtures/dynamodb.ts';

/** The socket of the emulator in another process. */
const openedSchema = z.object({ socketPath: z.string() });

/** Opens an empty table in a separate process, so that the memory and CPU time of the emulator are not measured. */
export async function openTableProcess(clock: Clock): Promise<EmulatedTable> {
  const child = fork(join(import.meta.dirname, 'table-apart.ts'));
  const [message] = await once(child, 'message');
  const table = await joinEmulatedTable(openedSchema.parse(message).socketPath, clock);
  const close = async () => {
    await table.close();
    child.disconnect();
  };
  return { ...table, close };
}
