import type { Channel } from '../../messages/channel.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Logger } from '../../runtime/logger.ts';
import { perRegion } from '../aws.ts';
import type { ChannelDeps } from '../deps.ts';
import type { EmailSettings } from './config.ts';
import { type Mailer, mailFor } from './mail.ts';
import { fetchPictures } from './pictures.ts';
import { sesMailer } from './ses.ts';
import { smtpMailer } from './smtp.ts';

export interface EmailChannelOptions extends Pick<EmailSettings, 'from' | 'to'> {
  mailer: Mailer;
  clock: Clock;
  /** Called for messages that were sent without some of their pictures. */
  logger: Pick<Logger, 'warn'>;
  /** Fetches pictures. */
  fetch?: typeof fetch;
}

const sesMailers = perRegion(sesMailer);

export async function open(
  { to, from, smtp_secret, ses_region }: EmailSettings,
  { readSecret, ...deps }: ChannelDeps,
): Promise<Channel> {
  const mailer =
    smtp_secret === undefined
      ? sesMailers(ses_region)
      : smtpMailer({ url: await readSecret(smtp_secret), logger: deps.logger });
  return createEmailChannel({ to, from, mailer, ...deps });
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
