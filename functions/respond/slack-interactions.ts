import { Hono } from 'hono';
import * as z from 'zod';
import { nameSchema } from '../../shared/alerting/alerts/author.ts';
import { LABELS } from '../../shared/alerting/messages/answer-text.ts';
import { momentsIn } from '../../shared/alerting/messages/figure-text.ts';
import type { LinkSigner } from '../../shared/alerting/messages/link-purposes.ts';
import { type AnsweringDeps, giveAnswer, outcomeText } from '../../shared/responding/give-answer.ts';
import type { Logger } from '../../shared/runtime/logger.ts';
import { givenBy } from './answer-links.ts';

/** What a Slack app of ours is known by, and reached by. */
export interface SlackApp {
  /** Whether Slack sent the request, by its signature and time. */
  isGenuine(request: {
    timestamp: string | undefined;
    signature: string | undefined;
    body: string;
  }): Promise<boolean>;
  /** Tells whoever pressed a button what came of it; `false` where that did not arrive. */
  reply(to: string, text: string): Promise<boolean>;
}

export interface SlackInteractionDeps extends AnsweringDeps {
  signer: LinkSigner;
  slack: SlackApp;
  logger: Logger;
}

/** Of what Slack sends when a button is pressed or an entry of a menu chosen: what is read of it. */
const pressSchema = z.object({
  type: z.literal('block_actions'),
  user: z.object({ id: z.string(), name: z.string().optional(), username: z.string().optional() }),
  response_url: z.string().optional(),
  actions: z.array(
    z.object({
      value: z.string().optional(),
      selected_option: z.object({ value: z.string() }).nullish(),
    }),
  ),
});
type Press = z.output<typeof pressSchema>;

/** The native buttons of messages: each holds what the link beside it would. */
export function slackInteractions(deps: SlackInteractionDeps): Hono {
  const app = new Hono();
  app.post('/interactions', async (c) => {
    const body = await c.req.text();
    const timestamp = c.req.header('x-slack-request-timestamp');
    const signature = c.req.header('x-slack-signature');
    if (!(await deps.slack.isGenuine({ timestamp, signature, body }))) {
      // Whoever pressed a button sees a warning sign and no words: if the secret is wrong, only this says so.
      deps.logger.warn(
        'a press of a button was refused: it is not signed by Slack with our secret, or too old',
      );
      return c.text('not signed by Slack, or too long ago', 401);
    }
    const press = pressIn(body);
    // Of buttons that only open an address, and of what we never sent, Slack wants no more than this.
    if (!press) return c.body(null, 200);
    const notified = await answerPress(press, deps);
    if (notified !== undefined && press.response_url !== undefined) {
      const arrived = await deps.slack.reply(press.response_url, notified);
      if (!arrived) deps.logger.warn('whoever pressed a button in Slack could not be told what came of it');
    }
    return c.body(null, 200);
  });
  return app;
}

function pressIn(body: string): Press | undefined {
  const payload = new URLSearchParams(body).get('payload');
  if (payload === null) return undefined;
  try {
    return pressSchema.safeParse(JSON.parse(payload)).data;
  } catch {
    return undefined;
  }
}

/** What came of the press, in a sentence; `undefined` where it was of no button of ours. */
async function answerPress(
  { user, actions }: Press,
  deps: SlackInteractionDeps,
): Promise<string | undefined> {
  const [action] = actions;
  const token = action?.value ?? action?.selected_option?.value;
  if (token === undefined) return undefined;
  const verified = await deps.signer.verify('answer', token);
  switch (verified.kind) {
    case 'foreign':
      return 'Nothing was done: this button is not of this Deltawatch.';
    case 'expired':
      return 'Nothing was done: buttons are good for 14 days. Answer on the page.';
    case 'valid': {
      const name = nameSchema.safeParse(user.name ?? user.username);
      const who = { by: name.data ?? user.id, reason: '' };
      const outcome = await giveAnswer(givenBy(verified), who, deps);
      const text = outcomeText(outcome, momentsIn('UTC'));
      const label = LABELS[verified.claims.answer];
      return outcome.kind === 'answered'
        ? `${label}: done. ${escaped(text)}.`
        : `Nothing was done. ${escaped(text)}.`;
    }
  }
}

/** Names in it are text: Slack would make mentions and links of them. */
function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
