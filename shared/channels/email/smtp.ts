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
        const first = await transport.sendMail({ ...mail, signal });
        const { from, to } = first.envelope;
        const refused = await sendToRest(refusedOf(first), (rest) =>
          transport.sendMail({ ...mail, signal, envelope: { from, to: rest } }),
        );
        // Refusing the message would send it once more to the others.
        if (refused.size > 0) logger.warn(REFUSED, { refused: placesOf(refused, to) });
        return { kind: 'sent' };
      } catch (error) {
        return refusalOf(error, timeoutMs);
      }
    },
  };
}

const REFUSED = 'a mail was refused for some recipients, who do not get it';

/** The recipients that the server refused, with its codes. */
type Refused = ReadonlyMap<string, number | undefined>;

/**
 * Sends the mail to the recipients that were refused for now, as long as the server takes some of them: it may limit
 * their number (RFC 5321, 4.5.3.1.10). Returns those that are left.
 */
async function sendToRest(
  refused: Refused,
  sendTo: (rest: string[]) => Promise<SMTPSentMessageInfo>,
): Promise<Refused> {
  const isForNow = ([, code]: [string, number | undefined]) => code !== undefined && code < 500;
  const rest = [...refused].filter(isForNow).map(([address]) => address);
  if (rest.length === 0) return refused;
  try {
    const still = refusedOf(await sendTo(rest));
    const left = new Map([...[...refused].filter((each) => !isForNow(each)), ...still]);
    return left.size < refused.size ? await sendToRest(left, sendTo) : left;
  } catch {
    // The server took none, or the connection failed. The others have their mail.
    return refused;
  }
}

function refusedOf({ rejected, rejectedErrors = [] }: SMTPSentMessageInfo): Refused {
  return new Map(rejected.map((address, i) => [address, rejectedErrors[i]?.responseCode]));
}

/** The places of recipients in the list of the channel, from 1: an address is personal data. */
function placesOf(refused: Refused, to: string[]) {
  return [...refused].map(([address, code]) => ({ recipient: to.indexOf(address) + 1, code }));
}

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
