import * as z from 'zod';
import { jsonIn } from '../../text/json.ts';
import { chatMessage, markdown } from '../chat-text.ts';
import { type ChatVendor, opens } from '../chat-webhook.ts';

/** Mattermost splits a longer post: https://developers.mattermost.com/integrate/webhooks/incoming/#tips-and-best-practices */
const LONGEST_POST = 16_383;

/**
 * The message as a post: its title as text, and an attachment for each alert. A space without width keeps names from
 * being mentions and links, for which Mattermost has no escape. It also reads the notation of Slack, which `&lt;` does
 * not begin.
 */
export const mattermostPost = chatMessage(
  markdown((line) =>
    line
      .replaceAll(/[\\`*_[\]#~|>]/g, '\\$&')
      .replaceAll('<', '&lt;')
      .replaceAll(/@|:(?=\/\/)/g, '$&\u200B'),
  ),
  ({ title, alerts, more }) => ({
    text: [`**${title}**`, more].filter(Boolean).join('\n'),
    attachments: alerts.map(({ color, fallback, lines, picture }) => ({
      fallback,
      color: `#${color}`,
      text: lines.join('\n'),
      ...(picture ? { image_url: picture.url } : {}),
    })),
  }),
  (written) => JSON.stringify(written).length <= LONGEST_POST,
);

/** Such as "web.incoming_webhook.invalid.app_error". */
const errorSchema = z.object({ id: z.string().regex(/^[a-z][a-z0-9_.]{2,80}$/) });

/** Posts each message through an incoming webhook, which answers "ok", or with the id of an error. */
const MATTERMOST: ChatVendor = {
  name: 'Mattermost',
  layout: mattermostPost,
  verdictOn({ status, body }) {
    if (status < 400) return status === 200 && body.trim() === 'ok' ? 'accepted' : 'foreign';
    return { status, error: errorSchema.safeParse(jsonIn(body)).data?.id };
  },
  adviceOn({ status, error = '' }) {
    if (error.startsWith('web.incoming_webhook.channel'))
      return ': the channel of the webhook is gone; create a webhook for another channel';
    if (error.startsWith('web.incoming_webhook.permissions'))
      return ': the creator of the webhook may not post in the channel; create one as somebody who may';
    if (error.startsWith('web.incoming_webhook.invalid') || [401, 403, 404].includes(status))
      return ': the webhook was deleted; create a new one and store its URL in the secret';
    return status === 400 ? ': the message is invalid, which is a bug in Deltawatch' : '';
  },
};

export const open = opens(MATTERMOST);
