import { Command } from 'commander';
import type { Place } from '../../local/installation.ts';
import { pastDigest } from '../../operations/past-digest.ts';
import { digestMessage } from '../../shared/messages/digest-message.ts';
import { type Clock, systemClock } from '../../shared/runtime/clock.ts';
import { ofInstallation, withInstallation } from '../options/installation.ts';
import { examples } from '../terminal/arguments.ts';
import { messageLines } from '../terminal/message-text.ts';

/** `deltawatch digest`: the digest of the last period, as channels get it; `--json` prints the `Digest`. */
export function digestCommand(clock: Clock = systemClock): Command {
  return ofInstallation(
    new Command('digest').description('Show the digest of the last period; it sends nothing'),
  )
    .option('--json', 'Print one JSON document')
    .addHelpText(
      'after',
      examples(['digest', 'On this machine'], ['digest --stage production --json', 'Of a stage in AWS']),
    )
    .action(async ({ json, ...place }: Place & { json?: true }) => {
      const digest = await withInstallation(place, clock, ({ stores }) => pastDigest(stores, clock.now()));
      if (json) console.log(JSON.stringify(digest, timesAsText));
      else console.log(messageLines(digestMessage(digest, 'terminal')).join('\n'));
    });
}

function timesAsText(key: string, value: unknown): unknown {
  return /^(at|.+At)$/.test(key) && typeof value === 'number' ? new Date(value).toISOString() : value;
}
