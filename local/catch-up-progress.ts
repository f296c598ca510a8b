import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import type { Millis } from '../shared/runtime/clock.ts';
import { exists, replaceText } from './data/app-file.ts';

/** The time through which all runs of a rule are done, by rule id. */
export type Ticked = ReadonlyMap<string, Millis>;

const tickedSchema = z.object({
  tickedThrough: z.union([
    z.record(z.string(), z.iso.datetime()),
    // Older versions stored one time for all rules.
    z.iso.datetime(),
  ]),
});

/** The progress of earlier starts, for `ruleIds` and other rules. Empty before the first start. */
export async function loadTicked(stateDir: string, ruleIds: Iterable<string>): Promise<Ticked> {
  const path = tickedFile(stateDir);
  if (!(await exists(path))) return new Map();
  const { tickedThrough } = tickedSchema.parse(JSON.parse(await readFile(path, 'utf8')));
  if (typeof tickedThrough !== 'string')
    return new Map(Object.entries(tickedThrough).map(([id, at]) => [id, Date.parse(at)]));
  return new Map([...ruleIds].map((id) => [id, Date.parse(tickedThrough)]));
}

/** `ticked` after a run of `ruleIds` at `at`. */
export function tickedAt(ticked: Ticked, ruleIds: Iterable<string>, at: Millis): Ticked {
  const after = new Map(ticked);
  // Another cadence may run at the same time, so the next start repeats all runs of that time.
  for (const id of ruleIds) after.set(id, at - 1);
  return after;
}

export function saveTicked(stateDir: string, ticked: Ticked): Promise<void> {
  const times = [...ticked].map(([id, at]) => [id, new Date(at).toISOString()]);
  return replaceText(tickedFile(stateDir), JSON.stringify({ tickedThrough: Object.fromEntries(times) }));
}

function tickedFile(stateDir: string): string {
  return join(stateDir, 'ticks.json');
}
