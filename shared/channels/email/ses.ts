import { SESv2Client, type SESv2ClientConfig, SendEmailCommand } from '@aws-sdk/client-sesv2';
import { createTransport, type SendMailOptions } from 'nodemailer';
import { callAws } from '../../aws/requests.ts';
import type { SendResult } from '../../messages/channel.ts';
import { refusalOfAws } from '../aws.ts';
import { type Mailer, NO_OUTSIDE_CONTENT } from './mail.ts';

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
