import { randomBytes } from 'node:crypto';
import { InvalidArgumentError, Option } from 'commander';
import { bad, good } from '../../local/colour.ts';
import { keyStoreOf } from '../../local/data-access.ts';
import {
  type ApiKey,
  KEY_BYTES,
  type KeyStore,
  keyState,
  mintKey,
  SCOPES,
} from '../../shared/access/api-key.ts';
import { type Clock, type Millis, systemClock } from '../../shared/runtime/clock.ts';
import { ConfigError, InvalidRequestError } from '../../shared/runtime/errors.ts';
import { apiKeysIn, auditedKeys } from '../../shared/store/api-keys.ts';
import { iso } from '../../shared/time/iso.ts';
import { DAY_MS } from '../../shared/units/durations.ts';
import { asOption } from '../options/author-option.ts';
import { type InstallationOptions, ofInstallation, withInstallation } from '../options/installation.ts';
import { IMPORTED_DATA } from '../options/project.ts';
import { appIds, instant } from '../terminal/arguments.ts';
import { Command, withUsage } from '../terminal/command.ts';
import { tableText } from '../terminal/table.ts';

/** Where keys are stored: a folder or a table. Tokens of the interface of alerts are in its installation. */
interface Place extends InstallationOptions {
  data: string;
  table?: string;
  alerts?: true | ApiKey['scope'];
  as?: string;
}

/** `deltawatch keys`: who may read the data access service, and read or answer alerts. */
export function keysCommand(clock: Clock = systemClock): Command {
  const keys = withUsage(new Command('keys')).description(
    'Create, list and revoke API keys of the data access service, and tokens for alerts',
  );
  addCreate(keys, clock);
  addList(keys, clock);
  addRevoke(keys, clock);
  return keys;
}

const alertsOption = (flags: string) =>
  new Option(flags, 'Tokens of the interface of alerts instead').conflicts(['data', 'table']);

const placed = (command: Command, alerts = alertsOption('--alerts')): Command =>
  ofInstallation(
    command
      .addOption(new Option('--data <dir>', 'Folder of the data and its keys').default(IMPORTED_DATA))
      .addOption(new Option('--table <name>', 'DynamoDB table of the keys instead').conflicts('data'))
      .addOption(alerts),
  );

/** The keys in `place`. Throws `InvalidRequestError` for an installation without `--alerts`, which has no other keys. */
async function withKeys<T>(place: Place, clock: Clock, work: (keys: KeyStore) => Promise<T>): Promise<T> {
  if (place.alerts)
    return withInstallation(place, clock, ({ table, stores }) =>
      work(auditedKeys(apiKeysIn(table), { by: place.as ?? null, clock, ...stores })),
    );
  if (place.stage !== undefined) throw new InvalidRequestError('--stage requires --alerts');
  return work(keyStoreOf(place, clock));
}

interface CreateOptions extends Place {
  app?: string[];
  alerts?: ApiKey['scope'];
  name?: string;
  expires?: Millis;
}

function addCreate(keys: Command, clock: Clock): void {
  placed(keys.command('create'), alertsOption('--alerts <scope>').choices(SCOPES))
    .description('Create a key and show it once')
    .option('--app <id>', 'App that the key is for; can be repeated', appIds)
    .option('--name <text>', 'What the key is for', label)
    .option('--expires <when>', 'Days such as 90d, or a date such as 2026-12-31; default: never', (text) =>
      expiry(text, clock.now()),
    )
    .addOption(asOption())
    .example('keys create --app shop --name "first steps"', 'A key for this machine')
    .example('keys create --app shop --expires 90d', 'A key that expires')
    .example('keys create --alerts read --stage production', 'A token for alerts')
    .action(async ({ app, name, expires, ...place }: CreateOptions) => {
      const { alerts: scope } = place;
      if (!app && !scope)
        throw new InvalidRequestError('give --app for a key of the data, or --alerts for a token');
      const about = { apps: [...new Set(app)], name, createdAt: clock.now(), expiresAt: expires };
      const { text, key } = mintKey(randomBytes(KEY_BYTES), { ...about, ...(scope && { scope }) });
      await withKeys(place, clock, (store) => store.create(key));
      // Stdout has only the key, so that it can be piped into a secret store.
      console.log(text);
      console.error(usageOf(key));
    });
}

function usageOf({ id, apps, scope }: ApiKey): string {
  if (scope)
    return `
Token ${id} may read ${scope === 'answer' ? 'and answer ' : ''}alerts${apps.length > 0 ? ` of ${apps.join(', ')}` : ''}.
The token is not stored and cannot be shown again. Send it

  to /api/v1 as a header:  Authorization: Bearer <token>

Revoke it with: deltawatch keys revoke ${id} --alerts`;
  return `
Key ${id} may read ${apps.join(', ')}.
The key is not stored and cannot be shown again. Send it

  to /api/data-access/v1 as a header:  X-Api-Key: <key>
  to /v2 as two headers:               X-App-Id: ${apps[0]}, X-Api-Key: <key>
  or in the query:                     ?appid=${apps[0]}&apikey=<key>

Revoke it with: deltawatch keys revoke ${id}`;
}

function addList(keys: Command, clock: Clock): void {
  placed(keys.command('list'))
    .description('List keys, oldest first, without their secrets')
    .option('--json', 'Print one JSON line per key')
    .example('keys list', 'Keys of this machine')
    .example('keys list --alerts', 'Tokens for alerts')
    .action(async ({ json, ...place }: Place & { json?: true }) => {
      const stored = await withKeys(place, clock, (store) => store.list());
      const all = stored.toSorted((a, b) => (a.createdAt ?? 0) - (b.createdAt ?? 0));
      const now = clock.now();
      if (json) for (const key of all) console.log(JSON.stringify(plainKey(key, now)));
      else if (all.length > 0) console.log(keyTable(all, now));
      else console.log(place.alerts ? 'No tokens.' : 'No API keys. Tokens for alerts: keys list --alerts');
    });
}

function addRevoke(keys: Command, clock: Clock): void {
  placed(keys.command('revoke'))
    .description('Revoke a key')
    .argument('<id>', 'Key id, as "keys list" shows it')
    .addOption(asOption())
    .example('keys revoke 5f3a4f83', 'By its id')
    .action(async (id: string, place: Place) => {
      if (!(await withKeys(place, clock, (store) => store.revoke(id, clock.now()))))
        throw new ConfigError(`there is no key ${id}; list them with: deltawatch keys list`);
      console.log(`Revoked key ${id}.`);
    });
}

function label(text: string): string {
  if (!/^[\p{L}\p{N}\p{P}\p{S} ]{1,64}$/u.test(text))
    throw new InvalidArgumentError('Use up to 64 characters on one line.');
  return text;
}

function expiry(text: string, now: Millis): Millis {
  const [, days] = /^(\d{1,4})d$/.exec(text) ?? [];
  const at = days === undefined ? instant(text) : now + Number(days) * DAY_MS;
  if (at <= now) throw new InvalidArgumentError('Use a time in the future.');
  return at;
}

/** One row per key, the apps in the last column. Days are UTC. */
function keyTable(keys: readonly ApiKey[], now: Millis): string {
  const day = (at: Millis | undefined, none: string): string =>
    at === undefined ? none : new Date(at).toISOString().slice(0, 10);
  return tableText(
    {
      ...{ ID: {}, STATE: {}, CREATED: {}, EXPIRES: {}, 'LAST USED': {} },
      ...{ NAME: { width: 12 }, [keys[0]?.scope ? 'SCOPE' : 'APPS']: { width: 10 } },
    },
    keys.map((key) => {
      const state = keyState(key, now);
      return [
        key.id,
        state === 'good' ? good(state) : bad(state),
        day(key.createdAt, '-'),
        day(key.expiresAt, 'never'),
        day(key.lastUsedAt, 'never'),
        key.name ?? '-',
        [key.scope, key.apps.join(', ')].filter(Boolean).join(': '),
      ];
    }),
  );
}

/** A key as JSON. Times are ISO 8601 in UTC, or null. */
function plainKey(key: ApiKey, now: Millis) {
  const time = (at: Millis | undefined) => iso(at ?? null);
  return {
    id: key.id,
    name: key.name ?? null,
    apps: key.apps,
    ...(key.scope && { scope: key.scope }),
    state: keyState(key, now),
    createdAt: time(key.createdAt),
    expiresAt: time(key.expiresAt),
    revokedAt: time(key.revokedAt),
    lastUsedAt: time(key.lastUsedAt),
  };
}
