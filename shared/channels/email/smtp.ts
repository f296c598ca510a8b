import { createTransport, type SMTPSentMessageInfo } from 'nodemailer';
import * as z from 'zod';
import type { Refusal } from '../../messages/channel.ts';
import { ConfigError } from '../../runtime/errors.ts';
import type { Logger } from '../../runtime/logger.ts';
import { refusedForGood, refusedForNow } from '../refusals.ts';
import { type Mailer, NO_OUTSIDE_CONTENT } from './mail.ts';

export interface SmtpMailerOptions {
  /** A secret: it holds a password. It appears in no result and no error. */
  url: string;
  /** Called for mail that the server refused for some of its recipients. */
  logger: Pick<Logger, 'warn'>;
  timeoutMs?: number;
}

/**
 * Sends mail through `smtps://user:password@host` (TLS from the start, port 465) or `smtp://` (STARTTLS, port 587). A
 * password is only sent over TLS with a valid certificate; without one, TLS is used if the server offers it. Throws
 * `ConfigError` for an invalid URL.
 */
export function smtpMailer({ url, logger, timeoutMs = 10_000 }: SmtpMailerOptions): Mailer {
  const transport = createTransport({ ...serverOf(url), ...NO_OUTSIDE_CONTENT });
  return {
    async send(mail) {
      const signal = AbortSignal.timeout(timeoutMs);
      try {
        const sent: SMTPSentMessageInfo = await transport.sendMail({ ...mail, signal });
        const { envelope, rejected, rejectedErrors = [] } = sent;
        // Refusing the message would send it once more to the others. An address is personal data, so its place in the
        // list of the channel is logged, from 1.
        const refused = rejected.map((address, i) => ({
          recipient: envelope.to.indexOf(address) + 1,
          code: rejectedErrors[i]?.responseCode,
        }));
        if (refused.length > 0) logger.warn(REFUSED, { refused });
        return { kind: 'sent' };
      } catch (error) {
        return refusalOf(error, timeoutMs);
      }
    },
  };
}

const REFUSED = 'a mail was refused for some recipients, who do not get it';

function serverOf(text: string) {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^smtps?:$/.test(url.protocol) || url.hostname === '') throw invalidUrl();
  const secure = url.protocol === 'smtps:';
  const auth = { user: decoded(url.username), pass: decoded(url.password) };
  return {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? (secure ? 465 : 587) : Number(url.port),
    secure,
    ...(auth.user === '' ? {} : { auth, requireTLS: true }),
  };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw invalidUrl();
  }
}

function invalidUrl(): ConfigError {
  return new ConfigError(
    'the SMTP secret must be a URL such as smtps://user:password@smtp.example.com; percent-encode special characters of the password',
  );
}

const smtpErrorSchema = z.object({
  code: z.string().optional(),
  originalCode: z.string().optional(),
  responseCode: z.int().optional(),
  permanent: z.boolean().optional(),
});

/** Only codes are repeated: a text of the server may hold the user. */
function refusalOf(error: unknown, timeoutMs: number): Refusal {
  const { code, originalCode, responseCode, permanent } = smtpErrorSchema.catch({}).parse(error);
  if (code === 'ETLS' || /CERT|ALTNAME|UNABLE_TO/.test(originalCode ?? ''))
    return refusedForGood(`the SMTP server has no TLS with a valid certificate${said(originalCode)}`);
  if (responseCode !== undefined && !permanent)
    return refusedForNow(`the SMTP server refused the message for now (${responseCode})`);
  if (code === 'EAUTH' || code === 'ENOAUTH')
    return refusedForGood(
      `the SMTP server refused the user or password${said(responseCode)}: check its secret`,
    );
  if (responseCode !== undefined) {
    const what = code === 'EENVELOPE' ? 'the sender or all recipients' : 'the message';
    return refusedForGood(`the SMTP server refused ${what}${said(responseCode)}`);
  }
  if (code === 'EABORT') return refusedForNow(`the SMTP server did not answer within ${timeoutMs} ms`);
  return refusedForNow(`the SMTP server cannot be reached${said(originalCode ?? code)}`);
}

const said = (code: string | number | undefined): string => (code === undefined ? '' : ` (${code})`);
