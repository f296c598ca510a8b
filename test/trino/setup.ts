import type { TestProject } from 'vitest/node';
import { installTrino } from './installation.ts';
import { startTrino } from './server.ts';
import { createTables } from './tables.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The address of the shared server, and the folder of its tables. */
    trino: { readonly url: string; readonly storage: string };
  }
}

export default async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  const server = await startTrino(await installTrino());
  await createTables(server);
  provide('trino', { url: server.url, storage: server.storage });
  return server.stop;
}
