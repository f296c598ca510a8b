import type { SendMailOptions } from 'nodemailer';
import type { SendResult } from '../../messages/channel.ts';
import { ALERTS_PER_MESSAGE, type Message } from '../../messages/message.ts';
import { contentHash } from '../../text/content-hash.ts';
import { oneLine } from '../outgoing-text.ts';
import { plainText } from '../plain-text.ts';
import type { EmailSettings } from './config.ts';
import { mailHtml } from './html.ts';
import type { Pictures } from './pictures.ts';

/** Sends composed mail. */
export interface Mailer {
  send(mail: SendMailOptions): Promise<SendResult>;
}

/** Mail holds text of users: it must not make the composer read files or addresses. */
export const NO_OUTSIDE_CONTENT = { disableFileAccess: true, disableUrlAccess: true } as const;

const OURS = { subject: 200 } as const;

/**
 * A message as mail. Mail about one alert belongs to one thread: each refers to the same first `Message-ID`, which no
 * mail has, because SES replaces those of ours. A mail that is sent again has the same `Message-ID`.
 */
export function mailFor(
  message: Message,
  { from, to }: Pick<EmailSettings, 'from' | 'to'>,
  { pictures, at }: { pictures: Pictures; at: number },
): SendMailOptions {
  const domain = from.slice(from.lastIndexOf('@') + 1);
  const thread = threadOf(message);
  const cids = new Map([...pictures.keys()].map((url) => [url, `${contentHash(url)}@${domain}`]));
  return {
    from: { name: 'Deltawatch', address: from },
    to,
    date: new Date(at),
    subject: oneLine(OURS.subject, message.title) || 'Deltawatch',
    messageId: `<${contentHash(message.items.map(({ key }) => key).toSorted())}@${domain}>`,
    ...(thread === undefined ? {} : referring(`<alert.${thread}@${domain}>`)),
    // Without it, absent people answer automatically.
    headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
    list: { id: { comment: 'Deltawatch', url: `deltawatch.${domain}` } },
    text: plainText(message, { limit: ALERTS_PER_MESSAGE, answers: message.items.length === 1 }),
    html: mailHtml(message, cids),
    attachments: [...pictures].map(([url, content], i) => ({
      cid: cids.get(url),
      filename: `chart-${i + 1}.png`,
      content,
      contentType: 'image/png',
      contentDisposition: 'inline' as const,
    })),
  };
}

const referring = (id: string) => ({ inReplyTo: id, references: id });

/** Identifies the alert; `undefined` for a digest of several. */
function threadOf({ items }: Message): string | undefined {
  const [only, ...others] = new Set(items.map(({ ruleId, segment }) => contentHash([ruleId, segment])));
  return others.length === 0 ? only : undefined;
}
