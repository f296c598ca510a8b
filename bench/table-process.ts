import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import * as z from 'zod';
import { joinLocalTable, type LocalTable } from '../local/table.ts';
import type { Clock } from '../shared/runtime/clock.ts';

/** The socket of the emulator in another process. */
export const openedSchema = z.object({ socketPath: z.string() });

/** Opens an empty table in a separate process, so that the memory and CPU time of the emulator are not measured. */
export async function openTableProcess(clock: Clock): Promise<LocalTable> {
  const child = fork(join(import.meta.dirname, 'table-apart.ts'));
  const [message] = await once(child, 'message');
  const table = await joinLocalTable(openedSchema.parse(message).socketPath, clock);
  const close = async () => {
    await table.close();
    child.disconnect();
  };
  return { ...table, close };
}
