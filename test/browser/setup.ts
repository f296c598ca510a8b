import type { TestProject } from 'vitest/node';
import { findChromium } from './installation.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The path of the browser. */
    chromium: string;
  }
}

export default async function setup({ provide }: TestProject): Promise<void> {
  provide('chromium', await findChromium());
}
