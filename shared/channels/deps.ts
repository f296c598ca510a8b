import type { Logger } from '../runtime/logger.ts';
import type { HttpOptions } from './http-post.ts';

/** `fetch`: for all channels but webhooks and those in AWS. */
export interface ChannelDeps extends HttpOptions {
  /** The secret of this name. Throws if it does not exist. */
  readSecret: (name: string) => Promise<string>;
  /** Some receivers are shared by stages; `null` on one machine. */
  stage: string | null;
  logger: Pick<Logger, 'warn'>;
}
