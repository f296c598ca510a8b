import { mailFor } from '../../shared/channels/email/mail.ts';
import type { Message } from '../../shared/messages/message.ts';
import { TUESDAY_3_AM } from './situations.ts';

/** Signed links are long, and change with their claims. */
export const withoutTokens = (text: string) => text.replaceAll(/eyJ[\w-]+\.x+/g, 'TOKEN');

/** The headers that people or programs read, and the text. */
export function renderedMail(message: Message): string {
  const { subject, messageId, inReplyTo, text, attachments } = mailFor(
    message,
    { from: 'alerts@example.com', to: ['team@example.com'] },
    { pictures: picturesOf(message), at: TUESDAY_3_AM },
  );
  const charts = attachments?.map(({ filename }) => filename).join(', ');
  return withoutTokens(
    [
      `Subject: ${subject}`,
      `Message-ID: ${messageId}`,
      `In-Reply-To: ${inReplyTo ?? '-'}`,
      `Charts: ${charts || '-'}`,
      '-----',
      `${text}\n`,
    ].join('\n'),
  );
}

/** As a mail program gets it. */
export function renderedHtml(message: Message): string {
  const { html } = mailFor(
    message,
    { from: 'alerts@example.com', to: ['team@example.com'] },
    { pictures: picturesOf(message), at: TUESDAY_3_AM },
  );
  return withoutTokens(`${html}\n`);
}

/** The body of a request to a chat. */
export function renderedBy(layout: (message: Message) => unknown): (message: Message) => string {
  return (message) => withoutTokens(`${JSON.stringify(layout(message), null, 2)}\n`);
}

function picturesOf({ items }: Message): Map<string, Buffer> {
  const urls = items.slice(0, 3).flatMap(({ links }) => links?.picture?.url ?? []);
  return new Map(urls.map((url) => [url, Buffer.from('png')]));
}
