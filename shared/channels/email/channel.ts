import { SESv2Client, type SESv2ClientConfig, SendEmailCommand } from '@aws-sdk/client-sesv2';
import { createTransport, type SendMailOptions } from 'nodemailer';
import { callAws } from '../../aws/requests.ts';
import type { Channel, SendResult } from '../../messages/channel.ts';
import { perRegion, refusalOfAws } from '../aws.ts';
import type { ChannelDeps } from '../deps.ts';
import type { EmailSettings } from './config.ts';
import { type Mailer, mailFor, NO_OUTSIDE_CONTENT } from './mail.ts';
import { fetchPictures } from './pictures.ts';
import { smtpMailer } from './smtp.ts';

type EmailChannelOptions = Pick<EmailSettings, 'from' | 'to'> &
  Pick<ChannelDeps, 'clock' | 'logger' | 'fetch'> & { mailer: Mailer };

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
  return {
    async send(message) {
      const { pictures, missing } = await fetchPictures(message, options.fetch ?? fetch);
      if (missing > 0) logger.warn('a mail is sent without some of its pictures', { missing });
      return mailer.send(mailFor(message, options, { pictures, at: clock.now() }));
    },
  };
}

/** Sends mail through Amazon SES, which replaces its `Message-ID`. */
export function sesMailer(config: SESv2ClientConfig): Mailer {
  const client = new SESv2Client(config);
  const composer = createTransport({ streamTransport: true, buffer: true, ...NO_OUTSIDE_CONTENT });
  return {
    async send(mail: SendMailOptions): Promise<SendResult> {
      const { message, envelope } = await composer.sendMail(mail);
      const command = new SendEmailCommand({
        Destination: { ToAddresses: envelope.to },
        Content: { Raw: { Data: Buffer.isBuffer(message) ? message : undefined } },
      });
      try {
        await callAws('SES', () => client.send(command));
        return { kind: 'sent' };
      } catch (error) {
        const refusal = refusalOfAws(error);
        return { ...refusal, reason: `${refusal.reason}${adviceOn(refusal.reason)}` };
      }
    },
  };
}

/** https://docs.aws.amazon.com/ses/latest/APIReference-V2/API_SendEmail.html#API_SendEmail_Errors */
function adviceOn(reason: string): string {
  if (/MessageRejected|MailFromDomainNotVerified/.test(reason))
    return ': verify the sender in this region; in the sandbox of SES, the recipients too';
  if (/AccountSuspended|SendingPaused/.test(reason)) return ': see the reputation page of SES';
  return '';
}
