import { randomBytes } from 'node:crypto';
import { InvalidArgumentError, Option } from 'commander';
import { bad, good } from '../../local/colour.ts';
import { keyStoreOf } from '../../local/data-access.ts';
import { type ApiKey, KEY_BYTES, keyState, mintKey } from '../../shared/access/api-key.ts';
import { type Clock, type Millis, systemClock } from '../../shared/runtime/clock.ts';
import { ConfigError } from '../../shared/runtime/errors.ts';
import { iso } from '../../shared/time/iso.ts';
import { DAY_MS } from '../../shared/units/durations.ts';
import { IMPORTED_DATA } from '../options/project.ts';
import { appId, instant, listOf } from '../terminal/arguments.ts';
import { Command } from '../terminal/command.ts';
import { tableText } from '../terminal/table.ts';
import { withUsage } from '../terminal/usage.ts';

/** Where keys are stored: a folder or a table. */
interface Place {
  data: string;
  table?: string;
}

/** `deltawatch keys`: who may read the data access service. */
export function keysCommand(clock: Clock = systemClock): Command {
  const keys = withUsage(new Command('keys')).description(
    'Create, list and revoke API keys of the data access service',
  );
  addCreate(keys, clock);
  addList(keys, clock);
  addRevoke(keys, clock);
  return keys;
}

const placed = (command: Command): Command =>
  command
    .addOption(new Option('--data <dir>', 'Folder of the data and its keys').default(IMPORTED_DATA))
    .addOption(new Option('--table <name>', 'DynamoDB table of the keys instead').conflicts('data'));

interface CreateOptions extends Place {
  app: string[];
  name?: string;
  expires?: Millis;
}

function addCreate(keys: Command, clock: Clock): void {
  placed(keys.command('create'))
    .description('Create a key and show it once')
    .requiredOption('--app <id>', 'App that the key may read; can be repeated', (text, before?: string[]) =>
      listOf(appId(text), before),
    )
    .option('--name <text>', 'What the key is for', label)
    .option('--expires <when>', 'Days such as 90d, or a date such as 2026-12-31; default: never', (text) =>
      expiry(text, clock.now()),
    )

    .example('keys create --app shop --name "first steps"', 'A key for this machine')
    .example('keys create --app shop --expires 90d', 'A key that expires')
    .action(async ({ app, name, expires, ...place }: CreateOptions) => {
      const about = { apps: [...new Set(app)], name, createdAt: clock.now(), expiresAt: expires };
      const { text, key } = mintKey(randomBytes(KEY_BYTES), about);
      await keyStoreOf(place, clock).create(key);
      // Stdout has only the key, so that it can be piped into a secret store.
      console.log(text);
      console.error(usageOf(key));
    });
}

function usageOf({ id, apps }: ApiKey): string {
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
    .action(async ({ json, ...place }: Place & { json?: true }) => {
      const all = (await keyStoreOf(place, clock).list()).toSorted(
        (a, b) => (a.createdAt ?? 0) - (b.createdAt ?? 0),
      );
      const now = clock.now();
      if (json) for (const key of all) console.log(JSON.stringify(plainKey(key, now)));
      else console.log(all.length === 0 ? 'No keys.' : keyTable(all, now));
    });
}

function addRevoke(keys: Command, clock: Clock): void {
  placed(keys.command('revoke'))
    .description('Revoke a key')
    .argument('<id>', 'Key id, as "keys list" shows it')

    .example('keys revoke 5f3a4f83', 'By its id')
    .action(async (id: string, place: Place) => {
      if (!(await keyStoreOf(place, clock).revoke(id, clock.now())))
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
      ...{ NAME: { width: 12 }, APPS: { width: 10 } },
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
        key.apps.join(', '),
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
    state: keyState(key, now),
    createdAt: time(key.createdAt),
    expiresAt: time(key.expiresAt),
    revokedAt: time(key.revokedAt),
    lastUsedAt: time(key.lastUsedAt),
  };
}
