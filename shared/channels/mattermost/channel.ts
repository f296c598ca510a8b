import * as z from 'zod';
import { type ChatVendor, type ChatWebhookOptions, chatWebhook, opens } from '../chat-webhook.ts';
import { jsonIn } from '../http-post.ts';
import { mattermostPost } from './post.ts';

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
  adviceOn({ status = 0, error = '' }) {
    if (error.startsWith('web.incoming_webhook.channel'))
      return ': the channel of the webhook is gone; create a webhook for another channel';
    if (error.startsWith('web.incoming_webhook.permissions'))
      return ': the creator of the webhook may not post in the channel; create one as somebody who may';
    if (error.startsWith('web.incoming_webhook.invalid') || [401, 403, 404].includes(status))
      return ': the webhook was deleted; create a new one and store its URL in the secret';
    return status === 400 ? ': the message is invalid, which is a bug in Deltawatch' : '';
  },
};

export const createMattermostChannel = (options: ChatWebhookOptions) => chatWebhook(MATTERMOST, options);
export const open = opens(createMattermostChannel);
