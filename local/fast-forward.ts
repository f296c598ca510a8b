import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import type { ShowProgress } from '../functions/respond/page/progress.ts';
import type { Rule } from '../shared/alerting/rule.ts';
import { exists, replaceText } from './data/app-file.ts';
import type { FastForwardClock } from './fast-forward-clock.ts';
import { SWEEP_MS } from './live.ts';
import { runsBetween, type System } from './system.ts';
import { counted, progressLine } from './terminal.ts';

const DAY = 86_400_000;

export interface Past {
  system: System;
  /** Stands at the end of what was gone through before. */
  clock: FastForwardClock;
  rules: Rule[];
  /** Where the past ends. */
  now: number;
  stateDir: string;
  signal: AbortSignal;
}

/**
 * Runs every tick from the clock's time to now and gives the number of announcements; ends early, at a whole tick,
 * when the signal says so.
 */
export async function fastForward(past: Past, show: ShowProgress): Promise<number> {
  const { system, clock, rules, now, stateDir, signal } = past;
  const from = clock.now();
  const step = `Checking the last ${counted(Math.max(1, Math.round((now - from) / DAY)), 'day')}`;
  const line = progressLine();
  let told = 0;
  for (const { cadence, at } of runsBetween(rules, from, now)) {
    if (signal.aborted) break;
    // What a killed start was sending is held for two minutes. Live it would be swept before more is judged.
    clock.advanceTo(at - SWEEP_MS);
    told += (await system.announce()).sent.length;
    clock.advanceTo(at);
    told += (await system.tick(cadence, at)).length;
    await saveTicked(stateDir, at);
    show(step, at - from, now - from);
    line.show(`${step}: ${counted(told, 'announcement')},`, at - from, now - from);
  }
  line.end();
  return told;
}

const ticksSchema = z.object({ tickedThrough: z.iso.datetime() });

/** Up to when every tick was run, by an earlier start. */
export async function tickedThrough(stateDir: string): Promise<number | undefined> {
  const path = ticksFile(stateDir);
  if (!(await exists(path))) return undefined;
  return Date.parse(ticksSchema.parse(JSON.parse(await readFile(path, 'utf8'))).tickedThrough);
}

/** To be told after each tick, in their order. */
export function saveTicked(stateDir: string, at: number): Promise<void> {
  // Another cadence may run at the same moment: the next start runs all of that moment, again or for the first time.
  const through = at - 1;
  return replaceText(ticksFile(stateDir), JSON.stringify({ tickedThrough: new Date(through).toISOString() }));
}

function ticksFile(stateDir: string): string {
  return join(stateDir, 'ticks.json');
}
