import { randomUUID } from 'node:crypto';
import type { Hono } from 'hono';
import { inMemoryRateLimiter } from '../functions/data-access/requests/in-memory-rate-limiter.ts';
import type { Section } from '../functions/respond/page/layout.ts';
import { createRespond } from '../functions/respond/respond.ts';
import type { Access } from '../functions/respond/visitors.ts';
import { signedLinks } from '../shared/access/signed-links.ts';
import { slackApp } from '../shared/channels/slack/signed-requests.ts';
import { messageLinks } from '../shared/messages/message-links.ts';
import type { Progress } from '../shared/pages/progress.ts';
import { apiKeysIn } from '../shared/store/api-keys.ts';
import { storesIn } from '../shared/store/stores.ts';
import type { Table } from '../shared/store/table.ts';
import { usedLinksIn } from '../shared/store/used-links.ts';
import { localChannels } from './channels.ts';
import { CALLS_PER_HOUR } from './data-access.ts';
import type { Figures } from './figures.ts';
import type { ReplayParts } from './first-replay.ts';
import type { SlackInbox } from './inbox/slack-inbox.ts';
import { slackView } from './inbox/slack-view.ts';
import type { LocalSecrets } from './secrets.ts';
import { createSystem, type System, type SystemParts } from './system.ts';
import { terminalLogger as logger, silentMeter } from './terminal.ts';

export interface SiteParts extends Pick<SystemParts, 'clock' | 'sourceFor' | 'notesVersions'> {
  table: Table;
  /** Root URL of all links, without a trailing slash. */
  address: string;
  access: Access;
  /** Base URL of the data access service; `undefined` if people cannot open it. */
  dataAccessUrl?: string | undefined;
  secrets: LocalSecrets;
  inbox: SlackInbox;
  progress: () => Progress;
  explore?: ((parts: Omit<ExploreParts, 'openFigures'>) => Section) | undefined;
}

/** What the section needs that tries rules on the past. */
export interface ExploreParts extends Pick<SiteParts, 'clock'> {
  system: System;
  openFigures: () => Pick<Figures, 'sourceFor' | 'close'>;
  isLive: () => boolean;
}

export interface Site {
  system: System;
  app: Hono;
  /** The same system with other parts. The web app does not show it. */
  systemWith: (parts: ReplayParts) => System;
}

/** The system of one machine, and its web app: pages, actions, charts and inbox. */
export function createSite(parts: SiteParts): Site {
  const { table, clock, sourceFor, address, access, dataAccessUrl, secrets, inbox, progress, explore } =
    parts;
  const signer = signedLinks(async () => secrets.signingKey, clock);
  const isLive = () => progress().phase === 'live';
  const systemParts = {
    clock,
    sourceFor,
    channelFor: localChannels({ secrets, inbox, isLive, clock }),
    links: messageLinks(signer, address),
    ...(parts.notesVersions && { notesVersions: parts.notesVersions }),
    logger,
    meter: silentMeter,
  };
  const system = createSystem({ ...systemParts, stores: storesIn(table, logger) });
  const slack = {
    ...{ path: '/slack', name: 'Slack' },
    view: (zone: string) => slackView(inbox.list(), clock.now(), zone),
  };
  // The inbox's HTTP routes are not exposed: any website in a browser on this machine could post to them.
  const app = createRespond({
    ...system,
    used: usedLinksIn(table),
    keys: apiKeysIn(table),
    limiter: inMemoryRateLimiter(),
    signer,
    access,
    publicUrl: address,
    // Without the secret, every request is refused.
    slack: slackApp(async () => (await secrets.find('slack-signing-secret')) ?? '', clock),
    newId: randomUUID,
    clock,
    logger,
    progress,
    tryWrite: () => system.runs.takeLock('health', clock.now(), clock.now()),
    callsPerHour: CALLS_PER_HOUR,
    sourceFor: (of) => sourceFor(of, system.runs),
    ...(dataAccessUrl !== undefined && { dataAccessUrl }),
    sections: [...(explore ? [explore({ system, clock, isLive })] : []), slack],
  });
  return { system, app, systemWith: (replay) => createSystem({ ...systemParts, ...replay }) };
}
