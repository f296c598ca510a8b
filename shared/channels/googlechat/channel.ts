import * as z from 'zod';
import { jsonIn } from '../../text/json.ts';
import { chatMessage, HTML } from '../chat-text.ts';
import { type ChatVendor, opens } from '../chat-webhook.ts';

/**
 * A message has at most 32,000 bytes:
 * https://developers.google.com/workspace/chat/api/reference/rest/v1/spaces.messages/create
 */
const MOST_BYTES = 32_000;

/**
 * The message as one card. Programs that show no cards, such as notifications, get its title. Cards read a few elements of
 * HTML: https://developers.google.com/workspace/chat/format-messages#card-formatting
 */
export const googleChatMessage = chatMessage(
  HTML,
  ({ title, fallback, alerts, more }) => ({
    fallbackText: fallback,
    cardsV2: [
      {
        cardId: 'alerts',
        card: {
          sections: [
            { widgets: [paragraph(`<b>${title}</b>`)] },
            ...alerts.map(({ lines, picture }) => ({
              widgets: [
                paragraph(lines.join('<br>')),
                // Google fetches images over https only.
                ...(picture?.url.startsWith('https:')
                  ? [{ image: { imageUrl: picture.url, altText: picture.alt } }]
                  : []),
              ],
            })),
            ...(more === '' ? [] : [{ widgets: [paragraph(more)] }]),
          ],
        },
      },
    ],
  }),
  (written) => Buffer.byteLength(JSON.stringify(written)) <= MOST_BYTES,
);

function paragraph(text: string) {
  return { textParagraph: { text } };
}

const postedSchema = z.object({ name: z.string().startsWith('spaces/') });

/** Such as "PERMISSION_DENIED": https://google.aip.dev/193 */
const errorSchema = z.object({ error: z.object({ status: z.string().regex(/^[A-Z_]{2,40}$/) }) });

/** Posts each message to the webhook of a space, which answers with the name of the message, or with an error. */
const GOOGLE_CHAT: ChatVendor = {
  name: 'Google Chat',
  layout: googleChatMessage,
  verdictOn({ status, body }) {
    const answer = jsonIn(body);
    if (status < 400)
      return status === 200 && postedSchema.safeParse(answer).success ? 'accepted' : 'foreign';
    return { status, error: errorSchema.safeParse(answer).data?.error.status };
  },
  adviceOn({ status }) {
    if ([401, 403, 404].includes(status))
      return ': the webhook or its space was deleted, or the URL is incomplete; store the URL of a webhook in the secret';
    return status === 400 ? ': the message or the URL is invalid; copy the whole URL into the secret' : '';
  },
};

export const open = opens(GOOGLE_CHAT);
