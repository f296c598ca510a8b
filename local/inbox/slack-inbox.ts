import {
  closeSync,
  fstatSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import * as z from 'zod';
import type { SlackBlock } from '../../shared/channels/slack/block.ts';
import type { SlackPayload } from '../../shared/channels/slack/blocks.ts';
import type { Clock } from '../../shared/runtime/clock.ts';
import { jsonIn } from '../../shared/text/json.ts';

const messageSchema = z.object({
  channel: z.string(),
  /** Epoch milliseconds. */
  receivedAt: z.number(),
  text: z.string(),
  blocks: z.array(z.custom<SlackBlock>((block) => typeof block === 'object' && block !== null)),
});
export type InboxMessage = z.output<typeof messageSchema>;

export interface SlackInbox {
  /** Writes a message before it returns. */
  keep(channel: string, payload: SlackPayload): void;
  /** All messages, newest first. */
  list(): InboxMessage[];
  clear(): void;
  close(): void;
}

/** The messages that one machine keeps instead of sending, in `file` (JSON lines). Drops an incomplete last line. */
export function openSlackInbox({ file, clock }: { file: string; clock: Clock }): SlackInbox {
  mkdirSync(dirname(file), { recursive: true });
  const descriptor = openSync(file, 'a+', 0o600);
  const messages = recover(descriptor);
  return {
    keep(channel, { text, blocks }) {
      const message = { channel, receivedAt: clock.now(), text, blocks };
      const { size } = fstatSync(descriptor);
      try {
        writeFileSync(descriptor, `${JSON.stringify(message)}\n`);
      } catch (error) {
        // A full disk may have taken a part of the line.
        ftruncateSync(descriptor, size);
        throw error;
      }
      messages.push(message);
    },
    list: () => messages.toReversed(),
    clear() {
      ftruncateSync(descriptor);
      messages.length = 0;
    },
    close: () => closeSync(descriptor),
  };
}

/** Reads the messages in an open file, and truncates the file after its last complete line. */
function recover(descriptor: number): InboxMessage[] {
  const content = readFileSync(descriptor);
  const whole = content.subarray(0, content.lastIndexOf('\n') + 1);
  if (whole.length < content.length) ftruncateSync(descriptor, whole.length);
  return whole
    .toString()
    .split('\n')
    .flatMap((line) => messageSchema.safeParse(jsonIn(line)).data ?? []);
}
