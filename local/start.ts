import { join } from 'node:path';
import { Hono } from 'hono';
import type { Section } from '../functions/respond/page/layout.ts';
import type { Access } from '../functions/respond/visitors.ts';
import { syncRules } from '../functions/sync-rules/sync-rules.ts';
import { signedLinks } from '../shared/access/signed-links.ts';
import type { RuleSet } from '../shared/deployments/rule-store.ts';
import type { Progress, ShowProgress } from '../shared/pages/progress.ts';
import { loadDeployed } from '../shared/responding/alert-status.ts';
import { countDue, pendingIn } from '../shared/responding/pending-messages.ts';
import { type Clock, ManualClock } from '../shared/runtime/clock.ts';
import { requirePackages } from '../shared/runtime/optional-packages.ts';
import { counted } from '../shared/text/counted.ts';
import { planCatchUp, saveTicked, type Ticked, tickedAt } from './catch-up.ts';
import { type FigureSource, hasVersions, openDataAccess } from './data-access.ts';
import { ensureDemoData } from './demo-data.ts';
import { FastForwardClock, fastForward } from './fast-forward.ts';
import { figuresOf } from './figures.ts';
import { firstReplay } from './first-replay.ts';
import { listen } from './http-server.ts';
import { openSlackInbox } from './inbox/slack-inbox.ts';
import { forgetRunning, noteRunning, openToRun, requireRules } from './installation.ts';
import { keepTime } from './live.ts';
import { openLocalSecrets } from './secrets.ts';
import { createSite, type ExploreParts } from './site.ts';
import { lastRuns, type System } from './system.ts';
import { terminalLogger } from './terminal.ts';

/** Time for running requests when the server stops. Charts take the longest. */
const GRACE_MS = 2_000;

/** Optional packages. Without them, pages and messages would fail later. */
const CHARTS = ['vega', '@resvg/resvg-wasm', 'dejavu-fonts-ttf'];

interface Proxy {
  url: string;
  /** The command that prints the sign-in link which the page then requires. */
  signInCommand: string;
}

export interface StartOptions {
  host: string;
  port: number;
  /** A proxy in front of this process, for people and links. Without it, the page is open to this machine. */
  proxy?: Proxy | undefined;
  stateDir: string;
  figures: FigureSource;
  /** Days to replay on the first start. Figures of a service are not replayed. */
  days: number;
  ruleSet: RuleSet;
  /** The present: the replay ends at its time, and the system follows it from then on. */
  clock: Clock;
  signal: AbortSignal;
  /** Opens the section that tries rules on the past. */
  explore?: (parts: ExploreParts) => Section;
}

/**
 * Runs the whole system in one process. It replays the last days of data, or the time since the
 * last start, and then runs in real time. Throws `ConfigError` if the port is in use or another process uses the
 * state.
 */
export async function start(options: StartOptions): Promise<void> {
  const { host, port, proxy, stateDir, figures, days, ruleSet, clock: present, signal, explore } = options;
  requirePackages(...(figures.kind === 'folder' ? ['@duckdb/node-api'] : []), ...CHARTS);
  const now = present.now();
  let site = new Hono().all('*', (c) => c.text('Deltawatch is starting', 503));
  const server = await listen((request) => site.fetch(request), { host, port });
  const cleanups: (() => unknown)[] = [];
  try {
    const address = proxy?.url ?? server.url;
    const { rules } = ruleSet;
    const plan = await planCatchUp(figures, { rules, stateDir, now, days });
    const clock = new FastForwardClock(Math.min(now, ...plan.spans.map(({ fromAt }) => fromAt)), present);
    // Locks the state before any write. Items expire by the replay clock, because their times are in the past too.
    const table = await openToRun(stateDir, clock);
    cleanups.push(() => table.close());
    await noteRunning(stateDir, { url: address, isPublic: proxy !== undefined });
    cleanups.push(() => forgetRunning(stateDir));
    const secrets = await openLocalSecrets(join(stateDir, 'secrets.json'));
    const inbox = openSlackInbox({ file: join(stateDir, 'slack-inbox.ndjson'), clock });
    cleanups.push(() => inbox.close());
    const dataAccess = openDataAccess(figures, { clock, apiKey: secrets.apiKey });
    cleanups.push(() => dataAccess.close());
    // A public page does not publish the data.
    const service = proxy ? undefined : dataAccess.app;
    const openFigures = (at: Clock) => ({
      ...figuresOf(figures, at),
      // The tables are still in use.
      ...(figures.kind === 'tables' && { close: () => {} }),
    });
    let progress: Progress = { phase: 'catching-up', step: 'Opening the state', done: 0, total: 1 };
    const { system, app, systemWith } = createSite({
      table,
      clock,
      address,
      access: proxy ? sessionAccess(secrets.sessionKey, proxy, clock) : { kind: 'open' },
      dataAccessUrl: service && address,
      secrets,
      inbox,
      sourceFor: dataAccess.sourceFor,
      notesVersions: (of) => hasVersions(figures, of),
      progress: () => progress,
      explore: explore && ((parts) => explore({ ...parts, openFigures: () => openFigures(clock) })),
    });
    await requireRules(stateDir, system);
    // Alerts of removed rules end here. An earlier start may have sent notifications with later times.
    const syncedAt = Math.max(clock.now(), ...plan.ticked.values());
    const sync = (into: System) =>
      syncRules(ruleSet, { ...into, clock: new ManualClock(syncedAt), logger: terminalLogger });
    await sync(system);
    const whole = new Hono();
    if (service)
      for (const path of ['/v2/*', '/api/data-access/*', '/docs', '/openapi.json'])
        whole.all(path, (c) => service.fetch(c.req.raw));
    site = whole.route('/', app);
    say(`Deltawatch is at ${address}\nStop it with Ctrl-C. Its state is in ${stateDir}`);
    for (const note of plan.notes) say(note);

    const show: ShowProgress = (step, done, total) => {
      progress = { phase: 'catching-up', step, done, total };
    };
    if (plan.watchesDemo && figures.kind === 'folder')
      await ensureDemoData(figures.dataDir, now, signal, show);
    const past = { ...plan, clock, signal };
    const onTicked = (ticked: Ticked) => saveTicked(stateDir, ticked);
    const isFirst = plan.ticked.size === 0 && plan.spans.length > 0;
    // A first replay that was interrupted starts again.
    if (isFirst) inbox.clear();
    const { notified, ticked } = isFirst
      ? await firstReplay(
          {
            ...{ ...past, now, system, systemWith, sync, onTicked },
            sourceFor: dataAccess.sourceFor,
            openFigures,
          },
          show,
        )
      : await fastForward({ ...past, system, onTicked }, show);
    signal.throwIfAborted();
    clock.goLive();
    progress = { phase: 'live' };
    const due = await stillToBeSent(system, clock.now());
    const unsent = due > 0 ? `; ${counted(due, 'message')} still pending` : '';
    say(
      `Now live. ${counted(notified, 'notification')} sent during the replay${unsent}\nAll are at ${address}/slack`,
    );
    const fed = plan.fed.map(({ id }) => id);
    const onTick = (at: number) => {
      table.removeExpired();
      return saveTicked(stateDir, tickedAt(ticked, fed, at));
    };
    const missed = figures.kind === 'service' ? lastRuns(rules, now) : [];
    await keepTime({ system, clock, signal, since: now, missed, onTick, logger: terminalLogger });
  } catch (error) {
    if (error !== signal.reason) throw error;
  } finally {
    // First: running requests use the resources that are closed next.
    await server.close(GRACE_MS);
    for (const cleanup of cleanups.reverse()) await cleanup();
  }
}

function sessionAccess(sessionKey: string, { signInCommand: command }: Proxy, clock: Clock): Access {
  const signer = signedLinks(async () => sessionKey, clock);
  return { kind: 'session', command, signer };
}

/** The same number as on the page. */
async function stillToBeSent(system: System, now: number): Promise<number> {
  const [withPending, deployed] = await Promise.all([
    system.alerts.loadPending(Number.MAX_SAFE_INTEGER),
    loadDeployed(system, now),
  ]);
  return countDue(pendingIn(withPending, deployed, now));
}

function say(line: string): void {
  console.error(line);
}
