import type { TestProject } from 'vitest/node';
import { startClickHouse } from './server.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The URL of the server, with the password of a user. */
    clickhouse: { readonly url: string };
  }
}

export default async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  const { url, stop } = await startClickHouse();
  provide('clickhouse', { url });
  return stop;
}
