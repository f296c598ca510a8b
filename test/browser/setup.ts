import type { TestProject } from 'vitest/node';
import { findChromium } from './installation.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The path of the browser. */
    chromium: string;
    /** Whether Vitest was started with `-u`. */
    updates: boolean;
  }
}

export default async function setup({ provide, config }: TestProject): Promise<void> {
  provide('chromium', await findChromium());
  provide('updates', config.snapshotOptions.updateSnapshot === 'all');
}
