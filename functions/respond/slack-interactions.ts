import { Hono } from 'hono';
import * as z from 'zod';
import { ANSWER_NAMES } from '../../shared/alerts/alert.ts';
import { nameSchema } from '../../shared/alerts/author.ts';
import type { LinkSigner, Verified } from '../../shared/messages/link-purposes.ts';
import { giveAnswer } from '../../shared/responding/give-answer.ts';
import { contentHash } from '../../shared/text/content-hash.ts';
import { jsonIn } from '../../shared/text/json.ts';
import { givenBy } from './answer-links.ts';
import { answerCommand, type CommandDeps, commandSchema, resultText } from './slack-commands.ts';

/** Verifies requests of the Slack app, and replies to them. */
export interface SlackApp {
  /** Whether the signature is valid and the timestamp recent. */
  isGenuine(
    request: Record<'timestamp' | 'signature', string | undefined> & { body: string },
  ): Promise<boolean>;
  /** Shows the result to the user who made the request. `false` if Slack did not accept it. */
  reply(to: string, text: string): Promise<boolean>;
}

export interface SlackDeps extends CommandDeps {
  signer: LinkSigner;
  slack: SlackApp;
}

const word = z.string().optional();

/** The fields that are read from a Slack `block_actions` payload: a button or a menu entry. */
const pressSchema = z.object({
  type: z.literal('block_actions'),
  user: z.object({ id: z.string(), name: word, username: word }),
  response_url: z.string().default(''),
  actions: z.array(
    z.object({ block_id: word, value: word, selected_option: z.object({ value: z.string() }).nullish() }),
  ),
  message: z
    .object({ blocks: z.array(z.object({ block_id: word, elements: z.array(z.unknown()).optional() })) })
    .optional()
    .catch(undefined),
});
type Press = z.output<typeof pressSchema>;

/**
 * The endpoints for the buttons and menus of Slack messages, and for the command `/deltawatch`. The value of a button is
 * the token of an answer link.
 */
export function slackInteractions(deps: SlackDeps): Hono {
  const app = new Hono();
  app.post('/:kind{interactions|commands}', async (c) => {
    const body = await c.req.text();
    const timestamp = c.req.header('x-slack-request-timestamp');
    const signature = c.req.header('x-slack-signature');
    if (!(await deps.slack.isGenuine({ timestamp, signature, body }))) {
      // Slack shows the user only a warning sign. If the secret is wrong, only this log entry shows it.
      deps.logger.warn(
        'a request of Slack was refused: its signature is not valid for the signing secret, or it is too old',
      );
      return c.text('invalid signature, or request too old', 401);
    }
    const { payload = '', ...typed } = Object.fromEntries(new URLSearchParams(body));
    const isCommand = c.req.param('kind') === 'commands';
    const asked = isCommand ? commandSchema.parse(typed) : pressSchema.safeParse(jsonIn(payload)).data;
    const text =
      asked && ('actions' in asked ? await answerPress(asked, deps) : await answerCommand(asked, deps));
    // Slack expects 200 for link buttons and unknown payloads too.
    if (!asked || text === undefined) return c.body(null, 200);
    // A response may come too late after a cold start. Slack shows it for commands only.
    if (await deps.slack.reply(asked.response_url, text)) return c.body(null, 200);
    deps.logger.warn('the result of a Slack interaction could not be shown to the user');
    return c.json({ response_type: 'ephemeral', text });
  });
  return app;
}

/** The result as a sentence; `undefined` if the interaction is not an answer. */
async function answerPress(press: Press, deps: SlackDeps): Promise<string | undefined> {
  const verified = await verifiedIn(press, deps.signer);
  if (verified?.kind !== 'valid') return verified && REFUSED[verified.kind];
  const { id, name, username } = press.user;
  const by = nameSchema.safeParse(name ?? username).data ?? id;
  const outcome = await giveAnswer(givenBy(verified), { by, reason: '', how: 'slack' }, deps);
  return resultText(verified.claims.answer, outcome);
}

const REFUSED = {
  foreign: 'Nothing changed: this button is from another Deltawatch.',
  expired: 'Nothing changed: buttons are valid for 14 days. Answer on the page.',
};

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
