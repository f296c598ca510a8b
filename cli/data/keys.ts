import { randomBytes } from 'node:crypto';
import { Command, InvalidArgumentError, Option } from 'commander';
import { appIdsIn, keyStoreOf } from '../../local/keys.ts';
import { type ApiKey, KEY_BYTES, mintKey, standingOf } from '../../shared/access/api-key.ts';
import { appSettingsSchema } from '../../shared/access/app-settings.ts';
import { type Clock, type Millis, systemClock } from '../../shared/runtime/clock.ts';
import { ConfigError } from '../../shared/runtime/errors.ts';
import { examples, instant, listOf } from '../terminal/arguments.ts';
import { withUsage } from '../terminal/usage.ts';
import { keyTable, plainKey } from './key-table.ts';

const DAY = 86_400_000;

/** Where keys are kept: a folder or a table. */
interface Place {
  data: string;
  table?: string;
}

/** `deltawatch keys`: who may read the data access service. */
export function keysCommand(clock: Clock = systemClock): Command {
  const keys = withUsage(new Command('keys')).description(
    'create, list and revoke the API keys of the data access service',
  );
  addCreate(keys, clock);
  addList(keys, clock);
  addRevoke(keys, clock);
  return keys;
}

const placed = (command: Command): Command =>
  command
    .addOption(new Option('--data <dir>', 'folder of the data and its keys').default('.deltawatch/data'))
    .addOption(new Option('--table <name>', 'DynamoDB table of the keys instead').conflicts('data'));

interface CreateOptions extends Place {
  app: string[];
  name?: string;
  expires?: Millis;
}

function addCreate(keys: Command, clock: Clock): void {
  placed(keys.command('create'))
    .description('make a key and show it, this once')
    .requiredOption('--app <id>', 'an app it may read; repeat for more', appIds)
    .option('--name <text>', 'what it is for', label)
    .option('--expires <when>', 'in days, 90d, or on a date, 2026-12-31; never if left out', (text) =>
      expiry(text, clock.now()),
    )
    .addHelpText(
      'after',
      examples(
        ['keys create --app shop --name "first steps"', 'a key of this machine, shown this once'],
        ['keys create --app shop --expires 90d', 'one that ends by itself'],
      ),
    )
    .action(async ({ app, name, expires, ...place }: CreateOptions) => {
      const about = { apps: [...new Set(app)], name, createdAt: clock.now(), expiresAt: expires };
      const { text, key } = mintKey(randomBytes(KEY_BYTES), about);
      await keyStoreOf(place, clock).create(key);
      // The key alone on stdout, for whoever puts it into a secret store by a pipe.
      console.log(text);
      console.error(usageOf(key));
      if (place.table === undefined) await noteMissing(key, place.data);
    });
}

function usageOf({ id, apps }: ApiKey): string {
  return `
Key ${id} may read ${apps.join(', ')}.
The key itself is not kept and cannot be shown again. Send it

  to /api/data-access/v1 as a header:  X-Api-Key: <key>
  to /v2 as two headers:               X-App-Id: ${apps[0]}, X-Api-Key: <key>
  or in the query:                     ?appid=${apps[0]}&apikey=<key>

Once it is no longer needed: deltawatch keys revoke ${id}`;
}

async function noteMissing({ apps }: ApiKey, dir: string): Promise<void> {
  const known = await appIdsIn(dir);
  const missing = apps.filter((app) => !known.includes(app));
  if (missing.length > 0) console.error(`note: ${dir} holds no data of ${missing.join(', ')} yet`);
}

function addList(keys: Command, clock: Clock): void {
  placed(keys.command('list'))
    .description('show all keys, the oldest first, but never what they are made of')
    .option('--json', 'print one JSON line per key')
    .addHelpText('after', examples(['keys list', 'those of this machine']))
    .action(async ({ json, ...place }: Place & { json?: true }) => {
      const all = (await keyStoreOf(place, clock).list()).toSorted(byAge);
      const now = clock.now();
      if (json) for (const key of all) console.log(JSON.stringify(plainKey(key, now)));
      else console.log(all.length === 0 ? 'no keys' : keyTable(all, now));
    });
}

const byAge = (a: ApiKey, b: ApiKey): number => (a.createdAt ?? 0) - (b.createdAt ?? 0);

function addRevoke(keys: Command, clock: Clock): void {
  placed(keys.command('revoke'))
    .description('refuse a key from now on')
    .argument('<id>', 'as the list says it')
    .addHelpText('after', examples(['keys revoke 5f3a4f83', 'by the id of the list']))
    .action(async (id: string, place: Place) => {
      const now = clock.now();
      const store = keyStoreOf(place, clock);
      const before = (await store.list()).find((key) => key.id === id);
      const revoked = await store.revoke(id, now);
      if (revoked === undefined)
        throw new ConfigError(`there is no key ${id}; see them with: deltawatch keys list`);
      const already = before !== undefined && standingOf(before, now) === 'revoked';
      console.log(already ? `key ${id} was revoked before` : `key ${id} is revoked`);
    });
}

function appIds(text: string, before?: string[]): string[] {
  if (!appSettingsSchema.shape.id.safeParse(text).success)
    throw new InvalidArgumentError('Write the id of an app: letters, digits, "_" and "-".');
  return listOf(text, before);
}

function label(text: string): string {
  if (!/^[\p{L}\p{N}\p{P}\p{S} ]{1,64}$/u.test(text))
    throw new InvalidArgumentError('Write up to 64 letters on one line.');
  return text;
}

function expiry(text: string, now: Millis): Millis {
  const [, days] = /^(\d{1,4})d$/.exec(text) ?? [];
  const at = days === undefined ? instant(text) : now + Number(days) * DAY;
  if (at <= now) throw new InvalidArgumentError('Write a time that is still to come.');
  return at;
}
