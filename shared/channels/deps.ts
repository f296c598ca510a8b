import type { Clock } from '../runtime/clock.ts';
import type { Logger } from '../runtime/logger.ts';

export interface ChannelDeps {
  /** The secret of this name. Throws if it does not exist. */
  readSecret: (name: string) => Promise<string>;
  clock: Clock;
  logger: Pick<Logger, 'warn'>;
  /** Replaces `fetch` for all channels but webhooks and those in AWS. */
  fetch?: typeof fetch;
}
