import { openSlackInbox } from '../../../local/inbox/slack-inbox.ts';
import { ManualClock } from '../../../shared/runtime/clock.ts';

// Keeps messages in the given file, and prints a dot for each, until one fails. Then it prints why.
const inbox = openSlackInbox({ file: process.argv[2] ?? '', clock: new ManualClock(0) });
try {
  for (;;) {
    inbox.keep('shop', { text: 'x'.repeat(100), blocks: [] });
    process.stdout.write('.');
  }
} catch (error) {
  console.error(`${error}`);
}
