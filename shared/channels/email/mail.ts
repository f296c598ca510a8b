import type { SendMailOptions } from 'nodemailer';
import type { SendResult } from '../../messages/channel.ts';
import { ALERTS_PER_MESSAGE, type Message, messageIdOf } from '../../messages/message.ts';
import { contentHash } from '../../text/content-hash.ts';
import { escapedHtml } from '../../text/escaped.ts';
import { chatMessage, HTML } from '../chat-text.ts';
import { oneLine } from '../outgoing-text.ts';
import { plainText } from '../plain-text.ts';
import type { EmailSettings } from './config.ts';
import type { Pictures } from './pictures.ts';

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
    messageId: `<${messageIdOf(message)}@${domain}>`,
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

/** The HTML of a mail. `cids`: the content id of the picture at an address. Styles are inline: mail programs drop others. */
function mailHtml(message: Message, cids: ReadonlyMap<string, string>): string {
  const write = chatMessage(
    HTML,
    ({ title, fallback, alerts, more }) => `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapedHtml(fallback)}</title></head>
<body style="margin:0;padding:16px;font:15px/1.5 -apple-system,'Segoe UI',Roboto,Arial,sans-serif;color:#1f2933">
<div style="max-width:640px">
<h1 style="font-size:20px;line-height:1.3;margin:0 0 16px">${title}</h1>
${alerts.map(({ color, lines, picture }) => `<div style="margin:0 0 20px;padding-left:12px;border-left:4px solid #${color}">${lines.join('<br>\n')}${imageOf(picture, cids)}</div>`).join('\n')}
${more && `<p>${more}</p>`}
</div>
</body>
</html>`,
    () => true,
  );
  return write(message);
}

function imageOf(picture: { url: string; alt: string } | null, cids: ReadonlyMap<string, string>): string {
  const cid = picture && cids.get(picture.url);
  if (!cid) return '';
  return `<p><img src="cid:${cid}" alt="${escapedHtml(picture.alt)}" width="640" style="max-width:100%;height:auto;border:0"></p>`;
}
