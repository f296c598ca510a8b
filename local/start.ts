import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import * as z from 'zod';
import { syncRules } from '../functions/sync-rules/sync-rules.ts';
import { createSlackChannel } from '../shared/adapters/slack-channel.ts';
import type { RuleSet } from '../shared/alerting/ports.ts';
import type { ChannelConfig } from '../shared/alerting/routes.ts';
import { systemClock } from '../shared/runtime/clock.ts';
import { ConfigError } from '../shared/runtime/errors.ts';
import { exists, replaceText } from './data/app-file.ts';
import { openDataAccess } from './data-access.ts';
import { ensureDemoData } from './demo-data.ts';
import { FastForwardClock } from './fast-forward-clock.ts';
import { keepTime } from './live.ts';
import { createPage } from './page/page.ts';
import type { Progress } from './progress.ts';
import { LOCAL_KEY, openLocalSecrets } from './secrets.ts';
import { openSlackInbox } from './slack-inbox.ts';
import { createSystem, runsBetween, type System } from './system.ts';
import { openLocalTable } from './table.ts';
import { progressLine, silentMeter, terminalLogger } from './terminal.ts';

const DAY = 86_400_000;

export interface StartOptions {
  port: number;
  stateDir: string;
  /** Days of the past to go through on the first start. */
  days: number;
  ruleSet: RuleSet;
  /** Ends the system, cleanly. */
  signal: AbortSignal;
}

/**
 * The whole system in one process, on loopback only: goes through the last days as fast as it can on the service's
 * own clock, or through what it missed since it last ran, and then keeps time.
 */
export async function start({ port, stateDir, days, ruleSet, signal }: StartOptions): Promise<void> {
  await mkdir(stateDir, { recursive: true });
  const say = (line: string) => console.error(line);
  const now = systemClock.now();
  const clock = new FastForwardClock((await tickedThrough(stateDir)) ?? now - days * DAY);
  let progress: Progress = { phase: 'catching-up', step: 'Opening the state', done: 0, total: 1 };

  let site = new Hono().all('*', (c) => c.text('Deltawatch is starting', 503));
  const server = await listen((request) => site.fetch(request), port);
  const cleanups: (() => unknown)[] = [() => closed(server)];
  try {
    const address = `http://127.0.0.1:${port}`;
    const secrets = await openLocalSecrets(join(stateDir, 'secrets.json'));
    const dataDir = join(stateDir, 'data');
    const inbox = openSlackInbox({ file: join(stateDir, 'slack-inbox.ndjson'), clock });
    const table = await openLocalTable(systemClock, join(stateDir, 'table'));
    cleanups.push(() => table.close());
    const dataAccess = openDataAccess({
      dataDir,
      clock,
      apiKey: await secrets.readSecret(LOCAL_KEY),
      appIds: [...new Set(ruleSet.rules.map((rule) => rule.app))],
      logger: terminalLogger,
    });
    cleanups.push(() => dataAccess.close());
    let live = false;
    const channelFor = async ({ slack }: ChannelConfig) => {
      // What happened weeks ago is nobody's business in a real channel.
      const real = live && secrets.names.has(slack.webhook_secret);
      const webhookUrl = real ? await secrets.readSecret(slack.webhook_secret) : `${address}/services/inbox`;
      return createSlackChannel({ webhookUrl, clock });
    };
    const parts = {
      table,
      clock,
      sourceFor: dataAccess.sourceFor,
      channelFor,
      logger: terminalLogger,
      meter: silentMeter,
    };
    const system = createSystem(parts);
    const page = createPage({ ...system, inbox, progress: () => progress, clock, dataAccessUrl: address });
    page.route('/', inbox.app);
    for (const path of ['/v2/*', '/api/*']) page.all(path, (c) => dataAccess.app.fetch(c.req.raw));
    site = page;
    await syncRules(ruleSet, { rules: system.rules, logger: terminalLogger });
    say(`Deltawatch is at ${address} (Ctrl-C ends it; state is in ${stateDir})`);

    await ensureDemoData(dataDir, now, signal, (step, done, total) => {
      progress = { phase: 'catching-up', step, done, total };
    });
    const told = await fastForward({ system, clock, ruleSet, now, stateDir, signal }, (step, done, total) => {
      progress = { phase: 'catching-up', step, done, total };
    });
    if (signal.aborted) return;
    clock.goLive();
    live = true;
    progress = { phase: 'live' };
    say(`Went through the past: ${told} announcements, all at ${address}/slack. Now live.`);
    await keepTime({
      system,
      rules: ruleSet.rules,
      clock,
      signal,
      onTick: (at) => saveTickedThrough(stateDir, at),
    });
  } finally {
    for (const cleanup of cleanups.reverse()) await cleanup();
  }
}

interface Past {
  system: System;
  clock: FastForwardClock;
  ruleSet: RuleSet;
  now: number;
  stateDir: string;
  signal: AbortSignal;
}

type ShowProgress = (step: string, done: number, total: number) => void;

/** Runs every tick from the clock's time to now; ends early, at a whole tick, when the signal says so. */
async function fastForward(
  { system, clock, ruleSet, now, stateDir, signal }: Past,
  show: ShowProgress,
): Promise<number> {
  const from = clock.now();
  const step = `Checking the last ${Math.max(1, Math.round((now - from) / DAY))} days`;
  const line = progressLine();
  let told = (await system.announce()).sent.length;
  for (const { cadence, at } of runsBetween(ruleSet.rules, from, now)) {
    if (signal.aborted) break;
    clock.advanceTo(at);
    told += (await system.tick(cadence, at)).length;
    await saveTickedThrough(stateDir, at);
    show(step, at - from, now - from);
    line.show(`${step}: ${told} announcements,`, at - from, now - from);
  }
  line.end();
  return told;
}

const tickedThroughSchema = z.object({ tickedThrough: z.iso.datetime() });

/** Up to when every tick was run, by an earlier start. */
async function tickedThrough(stateDir: string): Promise<number | undefined> {
  const path = join(stateDir, 'ticks.json');
  if (!(await exists(path))) return undefined;
  return Date.parse(tickedThroughSchema.parse(JSON.parse(await readFile(path, 'utf8'))).tickedThrough);
}

function saveTickedThrough(stateDir: string, at: number): Promise<void> {
  return replaceText(
    join(stateDir, 'ticks.json'),
    JSON.stringify({ tickedThrough: new Date(at).toISOString() }),
  );
}

type Server = ReturnType<typeof serve>;

function listen(handle: (request: Request) => Response | Promise<Response>, port: number): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = serve({ fetch: handle, port, hostname: '127.0.0.1' }, () => resolve(server));
    server.on('error', (cause: NodeJS.ErrnoException) => {
      const taken = cause.code === 'EADDRINUSE';
      reject(taken ? new ConfigError(`port ${port} is taken; choose another with --port`, { cause }) : cause);
    });
  });
}

function closed(server: Server): Promise<void> {
  if ('closeAllConnections' in server) server.closeAllConnections();
  return new Promise((resolve) => server.close(() => resolve()));
}
