import { existsSync, readFileSync, statSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import * as z from 'zod';
import { DAY_MS } from '../../shared/units/durations.ts';
import { eventually, freePort, launch, type Running } from '../fixtures/deltawatch.ts';

/** Allows for a slow, busy machine. */
export const LIVE_MS = 300_000;

const healthSchema = z.object({ ok: z.literal(true), progress: z.object({ phase: z.string() }) });

export type Started = Running & { port: number };

export function get({ port }: Started, path: string): Promise<Response> {
  return fetch(`http://127.0.0.1:${port}${path}`);
}

/** Resolves when the system is in this phase; rejects with its stderr if it ends before. */
export function inPhase(system: Started, wanted: string): Promise<unknown> {
  const isThere = async () => {
    const { progress } = healthSchema.parse(await (await get(system, '/healthz')).json());
    return progress.phase === wanted || undefined;
  };
  return unlessEnded(system, eventually(`being ${wanted}`, isThere, LIVE_MS));
}

/** Resolves when the system has printed this; rejects with its stderr if it ends before. */
export function printed(system: Started, text: string): Promise<unknown> {
  return unlessEnded(
    system,
    eventually(text, () => system.printed().includes(text) || undefined, LIVE_MS),
  );
}

function unlessEnded(system: Started, reached: Promise<unknown>): Promise<unknown> {
  return Promise.race([reached, system.ended.then(({ stderr }) => Promise.reject(new Error(stderr)))]);
}

export function inboxOf(state: string): string[] {
  const file = join(state, 'slack-inbox.ndjson');
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : [];
}

/** When to end a start with its state in this folder. */
type Moment = (state: string) => () => true | undefined;

/** After this many more messages. */
export function messages(more: number): Moment {
  return (state) => {
    const before = inboxOf(state).length;
    return () => inboxOf(state).length >= before + more || undefined;
  };
}

/** After this many more ticks. */
export function ticks(more: number): Moment {
  return (state) => {
    const file = join(state, 'ticks.json');
    const version = () => (existsSync(file) ? statSync(file).ino : 0);
    let [seen, changes] = [version(), 0];
    return () => {
      if (version() !== seen) changes += 1;
      seen = version();
      return changes >= more || undefined;
    };
  };
}

type End = readonly [signal: NodeJS.Signals, moment: Moment];

/** When to end the starts that replay the first half of the days, and those that catch up with the second. */
export interface Ends {
  replaying: readonly End[];
  catchingUp: readonly End[];
}

/** The messages of undisturbed starts and of starts that are ended repeatedly, over the same days of data. */
export async function sentDespiteEnds(
  data: string,
  folder: string,
  days: number,
  ends: Ends,
): Promise<{ expected: Set<string>; actual: Set<string> }> {
  const now = Math.floor(Date.now() / DAY_MS) * DAY_MS;
  const sent = async (name: string, { replaying, catchingUp }: Ends) => {
    const state = join(folder, name);
    await cp(data, join(state, 'data'), { recursive: true });
    await sentBy(() => startAt(state, now - (days / 2) * DAY_MS, days / 2), state, replaying);
    return sentBy(() => startAt(state, now, days / 2), state, catchingUp);
  };
  const undisturbed = await sent('undisturbed', { replaying: [], catchingUp: [] });
  return { expected: undisturbed, actual: await sent('killed', ends) };
}

async function sentBy(
  begin: () => Promise<Started>,
  state: string,
  ends: readonly End[],
): Promise<Set<string>> {
  for (const [signal, moment] of ends) {
    const isNow = moment(state);
    await using system = await begin();
    await eventually('the moment', isNow, LIVE_MS);
    system.kill(signal);
    expect((await system.ended).code).toBe(signal === 'SIGKILL' ? null : 0);
    expect(system.printed()).not.toContain('Now live');
  }
  await using system = await begin();
  await printed(system, 'Now live');
  return new Set(inboxOf(state).flatMap((line) => [...itemsOf(line)]));
}

async function startAt(state: string, now: number, days: number): Promise<Started> {
  const port = await freePort();
  const program = fileURLToPath(new URL('./start-at.ts', import.meta.url));
  return { ...launch(process.execPath, [program, state, `${port}`, `${now}`, `${days}`]), port };
}

const messageSchema = z.object({
  blocks: z.array(z.looseObject({ type: z.string(), text: z.looseObject({ text: z.string() }).optional() })),
});

/**
 * The alerts of a message, each by its headline and day. How alerts are grouped into messages, and the detail of
 * each, may differ between starts.
 */
function* itemsOf(line: string): Generator<string> {
  const { blocks } = messageSchema.parse(JSON.parse(line));
  const texts = blocks.flatMap(({ text }) => text?.text ?? []);
  const dayIn = (text = '') => / on (\w{3} \d+ \w{3} \d{4})/.exec(text)?.[1] ?? '';
  const several = texts.flatMap((text) => {
    const [, headline, rest] = /^\S+ \*(.+)\*\n(.*)/.exec(text) ?? [];
    return headline === undefined ? [] : [`${headline}, ${dayIn(rest)}`];
  });
  if (several.length > 0) yield* several;
  else yield `${texts[0]?.replace(/^\S+ /, '')}, ${dayIn(texts[1])}`;
}
