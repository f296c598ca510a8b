import type { Channel } from '../../messages/channel.ts';
import type { EmailConfig } from '../../notifications/channels.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Logger } from '../../runtime/logger.ts';
import { mailFor } from './mail.ts';
import type { Mailer } from './mailer.ts';
import { fetchPictures } from './pictures.ts';

export interface EmailChannelOptions extends Pick<EmailConfig, 'from' | 'to'> {
  mailer: Mailer;
  clock: Clock;
  /** Called for messages that were sent without some of their pictures. */
  logger: Pick<Logger, 'warn'>;
  /** Fetches pictures. */
  fetch?: typeof fetch;
}

/** Sends each message as one mail to all recipients. */
export function createEmailChannel({ mailer, clock, logger, ...options }: EmailChannelOptions): Channel {
  const { fetch: fetchFrom = fetch } = options;
  return {
    async send(message) {
      const { pictures, missing } = await fetchPictures(message, fetchFrom);
      if (missing > 0) logger.warn('a mail is sent without some of its pictures', { missing });
      return mailer.send(mailFor(message, options, { pictures, at: clock.now() }));
    },
  };
}
