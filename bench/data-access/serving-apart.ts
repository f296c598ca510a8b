import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';

export interface ForkedService {
  readonly port: number;
  /** Ends the service and returns its peak resident memory in MB. */
  end(): Promise<number>;
}

/** Runs the service in a separate process, so that only its own memory is measured. */
export async function forkService(directory: string): Promise<ForkedService> {
  const child = fork(fileURLToPath(new URL('./serving-apart-main.ts', import.meta.url)), [directory]);
  const next = async <S extends z.ZodType>(message: S): Promise<z.output<S>> => {
    const ended = once(child, 'exit').then(([code]) => {
      throw new Error(`the service exited with code ${code}`);
    });
    const [received] = await Promise.race([once(child, 'message'), ended]);
    return message.parse(received);
  };
  const { port } = await next(z.strictObject({ port: z.int() }));
  return {
    port,
    async end() {
      child.send('end');
      const { peakResidentMb } = await next(z.strictObject({ peakResidentMb: z.number() }));
      return peakResidentMb;
    },
  };
}
