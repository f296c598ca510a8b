import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** A mistake: `find`, which occurs once in the file, becomes `replace`. */
interface Edit {
  file: string;
  find: string;
  replace: string;
}

/** `also`: a second edit, without which other code hides the mistake. */
interface Mutant extends Edit {
  name: string;
  also?: Edit;
}

/** Each breaks an invariant that the suite must detect. */
export const MUTANTS: Mutant[] = [
  {
    name: 'notifications are settled before they are sent',
    file: 'functions/notify/send-group.ts',
    find: 'const result = await attempt(channel, message);',
    replace:
      'await recordSent(pending, undefined, sweep);\n  const result = await attempt(channel, message);',
  },
  {
    name: 'two sweeps run at once without leases',
    file: 'functions/notify/delivery-results.ts',
    find: 'clock.now() + LEASE_MS)',
    replace: 'clock.now())',
    also: {
      file: 'functions/notify/notify.ts',
      find: 'if (!(await deps.runs.takeLock(LOCK, beganAt, untilAt))) return { sent: [], failed: [] };',
      replace: '',
    },
  },
  {
    name: 'a refused notification is dropped',
    file: 'shared/notifications/retries.ts',
    find: 'return withNotifications(alert, { ...alert.pending, [key]: { ...notification, dueAt, attempts } });',
    replace: 'const { [key]: _, ...others } = alert.pending;\n  return withNotifications(alert, others);',
  },
  {
    name: 'dueAt is ignored',
    file: 'functions/notify/delivery-results.ts',
    find: '(stored.pending[key]?.dueAt ?? Infinity) <= now',
    replace: 'stored.pending[key] !== undefined',
    also: {
      file: 'shared/notifications/notification-order.ts',
      find: 'notification.dueAt <= now && !notifications.some',
      replace: '!notifications.some',
    },
  },
  {
    name: 'the wait of a channel is ignored',
    file: 'functions/notify/notify.ts',
    find: ' && !waiting.has(channelOf(each))',
    replace: '',
  },
  {
    name: 'a save conflict of a sweep is not retried',
    file: 'functions/notify/loaded-alerts.ts',
    find: 'stored = await this.#load(key);\n      }',
    replace: 'return stored;\n      }',
  },
  {
    name: 'an attempted fire is dropped when the alert recovers',
    file: 'shared/notifications/pending-notifications.ts',
    find: 'notification.channel === channel && notification.attempts === 0;',
    replace: 'notification.channel === channel;',
  },
  {
    name: 'sent notifications are not recorded',
    file: 'shared/notifications/delivery.ts',
    find: 'sent: remembered([sent, ...before])',
    replace: 'sent: before',
  },
  {
    name: 'the notifications of one alert are sent in any order',
    file: 'shared/messages/message.ts',
    find: 'news.toSorted((a, b) => a.at - b.at || a.turn - b.turn)',
    replace: 'news',
  },
  {
    name: 'a second fire for one window has the key of the first',
    file: 'shared/notifications/pending-notifications.ts',
    find: 'return TRANSITIONS[transition].perRevision ? { revision } : {};',
    replace: 'return {};',
  },
  {
    name: 'alerts of removed rules stay open',
    file: 'functions/sync-rules/sync-rules.ts',
    find: 'await endRemovedRules(ruleSet, before, deps);',
    replace: '',
  },
  {
    name: 'an answer is saved without checking the revision',
    file: 'shared/responding/give-answer.ts',
    find: 'await deps.alerts.save(withNotifications(decided.step, found, author.at));',
    replace: 'withNotifications(decided.step, found, author.at);',
  },
];

/**
 * Runs `seeds` seeds against each mutant with `only` in its name, and prints the first seed that caught it. Returns
 * whether all were caught.
 */
export async function catchMutants(seeds: number, only: string): Promise<boolean> {
  let caught = 0;
  const mutants = MUTANTS.filter(({ name }) => name.includes(only));
  for (const mutant of mutants) {
    const by = await caughtBy(mutant, seeds);
    if (by) caught += 1;
    console.log(`${by ?? 'NOT CAUGHT'}  ${mutant.name}`);
  }
  console.log(JSON.stringify({ mutants: mutants.length, caught }));
  return caught === mutants.length;
}

async function caughtBy(mutant: Mutant, seeds: number): Promise<string | undefined> {
  const copy = await mkdtemp(join(tmpdir(), 'deltawatch-mutant-'));
  try {
    for (const folder of [
      'functions',
      'shared',
      'local',
      'test/fakes',
      'test/faults',
      'test/fixtures',
      'package.json',
    ])
      await cp(join(ROOT, folder), join(copy, folder), { recursive: true });
    await symlink(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
    for (const { file, find, replace } of mutant.also ? [mutant, mutant.also] : [mutant]) {
      const source = await readFile(join(ROOT, file), 'utf8');
      await writeFile(
        join(copy, file),
        source.replace(find, () => replace),
      );
    }
    const run = join(copy, 'test/faults/run.ts');
    const args = [run, '--seeds', String(seeds), '--until-broken'];
    await promisify(execFile)(process.execPath, args, { maxBuffer: 64 * 1024 * 1024 });
    return undefined;
  } catch (error) {
    const output = error instanceof Error && 'stdout' in error ? String(error.stdout) : '';
    const seed = /^seed \d+/m.exec(output)?.[0];
    if (!seed) throw error;
    if (output.includes('TypeError'))
      throw new Error(`the mutant "${mutant.name}" is no valid code: ${output}`);
    return seed;
  } finally {
    await rm(copy, { recursive: true, force: true });
  }
}
