import { Hono, type MiddlewareHandler } from 'hono';
import * as z from 'zod';
import { ANSWER_NAMES, type Answer } from '../../shared/alerts/alert.ts';
import { nameSchema } from '../../shared/alerts/author.ts';
import { LABELS } from '../../shared/messages/answer-text.ts';
import type { LinkSigner, Verified } from '../../shared/messages/link-purposes.ts';
import {
  type AnsweringDeps,
  giveAnswer,
  type Outcome,
  outcomeText,
} from '../../shared/responding/give-answer.ts';
import type { Logger } from '../../shared/runtime/logger.ts';
import { contentHash } from '../../shared/text/content-hash.ts';
import { escapedMarkup } from '../../shared/text/escaped.ts';
import { jsonIn } from '../../shared/text/json.ts';
import { givenBy } from './answer-links.ts';

/** Verifies requests of the Slack app, and replies to them. */
export interface SlackApp {
  /** Whether the signature is valid and the timestamp recent. */
  isGenuine(request: {
    timestamp: string | undefined;
    signature: string | undefined;
    body: string;
  }): Promise<boolean>;
  /** Shows the result to the user who made the request. `false` if Slack did not accept it. */
  reply(to: string, text: string): Promise<boolean>;
}

export interface SlackDeps extends AnsweringDeps {
  signer: LinkSigner;
  slack: SlackApp;
  logger: Logger;
}

/** Refuses requests that the Slack app did not sign. */
export function signedBySlack({ slack, logger }: SlackDeps): MiddlewareHandler {
  return async (c, next) => {
    const body = await c.req.text();
    const timestamp = c.req.header('x-slack-request-timestamp');
    const signature = c.req.header('x-slack-signature');
    if (await slack.isGenuine({ timestamp, signature, body })) return next();
    // Slack shows the user only a warning sign. If the secret is wrong, only this log entry shows it.
    logger.warn(
      'a request of Slack was refused: its signature is not valid for the signing secret, or it is too old',
    );
    return c.text('invalid signature, or request too old', 401);
  };
}

/** The fields that are read from a Slack `block_actions` payload: a button or a menu entry. */
const pressSchema = z.object({
  type: z.literal('block_actions'),
  user: z.object({ id: z.string(), name: z.string().optional(), username: z.string().optional() }),
  response_url: z.string().optional(),
  actions: z.array(
    z.object({
      block_id: z.string().optional(),
      value: z.string().optional(),
      selected_option: z.object({ value: z.string() }).nullish(),
    }),
  ),
  message: z
    .object({
      blocks: z.array(
        z.object({ block_id: z.string().optional(), elements: z.array(z.unknown()).optional() }),
      ),
    })
    .optional()
    .catch(undefined),
});
type Press = z.output<typeof pressSchema>;

/** The endpoint for the buttons and menus of Slack messages. The value of a button is the token of an answer link. */
export function slackInteractions(deps: SlackDeps): Hono {
  const app = new Hono();
  app.post('/interactions', signedBySlack(deps), async (c) => {
    const payload = new URLSearchParams(await c.req.text()).get('payload') ?? '';
    const press = pressSchema.safeParse(jsonIn(payload)).data;
    // Slack expects 200 for link buttons and unknown payloads too.
    if (!press) return c.body(null, 200);
    const reply = await answerPress(press, deps);
    if (reply !== undefined && press.response_url !== undefined) {
      const isDelivered = await deps.slack.reply(press.response_url, reply);
      if (!isDelivered) deps.logger.warn('the result of a Slack interaction could not be shown to the user');
    }
    return c.body(null, 200);
  });
  return app;
}

/** The result as a sentence; `undefined` if the interaction is not an answer. */
async function answerPress(press: Press, deps: SlackDeps): Promise<string | undefined> {
  const { user } = press;
  const verified = await verifiedIn(press, deps.signer);
  switch (verified?.kind) {
    case undefined:
      return undefined;
    case 'foreign':
      return 'Nothing changed: this button is from another Deltawatch.';
    case 'expired':
      return 'Nothing changed: buttons are valid for 14 days. Answer on the page.';
    case 'valid': {
      const who = { by: slackName(user.name ?? user.username, user.id), reason: '', how: 'slack' as const };
      return resultText(verified.claims.answer, await giveAnswer(givenBy(verified), who, deps));
    }
  }
}

/** The name under which a user of Slack answers. */
export function slackName(name: string | undefined, id: string): string {
  return nameSchema.safeParse(name).data ?? id;
}

/** In Slack's markup: names must not become mentions or links. */
export function resultText(answer: Answer, outcome: Outcome): string {
  const text = escapedMarkup(outcomeText(outcome, 'UTC'));
  return outcome.kind === 'answered' ? `${LABELS[answer]}: done. ${text}.` : `Nothing changed. ${text}.`;
}

/**
 * The permission to give the answer. A menu entry is the name of an answer, as it is too short for a token: a button
 * beside it has the token for the same alert and fire.
 */
async function verifiedIn(
  { actions: [action], message }: Press,
  signer: LinkSigner,
): Promise<Verified<'answer'> | undefined> {
  const chosen = action?.selected_option;
  if (!chosen) return action?.value === undefined ? undefined : signer.verify('answer', action.value);
  const answer = z.enum(ANSWER_NAMES).safeParse(chosen.value);
  const block = message?.blocks.find(
    ({ block_id }) => block_id !== undefined && block_id === action.block_id,
  );
  const buttons = z.array(z.object({ value: z.string() }).catch({ value: '' })).parse(block?.elements ?? []);
  const token = buttons.find(({ value }) => value !== '')?.value;
  if (!answer.success || token === undefined) return { kind: 'foreign' };
  const beside = await signer.verify('answer', token);
  if (beside.kind !== 'valid') return beside;
  const id = contentHash([beside.id, answer.data]);
  return { ...beside, id, claims: { ...beside.claims, answer: answer.data } };
}
