import { type Context, Hono } from 'hono';
import { answerAlert } from '../../shared/alerts/answers.ts';
import type { Claims, LinkSigner } from '../../shared/messages/link-purposes.ts';
import type { View } from '../../shared/pages/html.ts';
import {
  type AnsweringDeps,
  earlierUse,
  type Given,
  giveAnswer,
  loadAnswerable,
  type Outcome,
  usedBy,
} from '../../shared/responding/give-answer.ts';
import { confirmView, outcomeView, type Question } from './page/answer-view.ts';
import { layout, messageView } from './page/layout.ts';
import type { Visitors } from './visitors.ts';

export interface AnswerLinkDeps extends AnsweringDeps {
  signer: LinkSigner;
  visitors: Visitors;
}

type Status = 200 | 400 | 403 | 404 | 409 | 410;

const STATUS: Record<Outcome['kind'], Status> = { answered: 200, used: 410, refused: 409 };

/** The answer links of messages. GET only shows a form, because programs that preview links open them. */
export function answerLinks(deps: AnswerLinkDeps): Hono {
  const app = new Hono();
  const show = (c: Context, view: View, status: Status) => c.html(layout(view), status);

  app.on(['GET', 'POST'], '/:token', async (c) => {
    const opened = await open(c.req.param('token'), deps);
    if ('view' in opened) return show(c, opened.view, opened.status);
    const { given, question } = opened;
    const viewer = await deps.visitors.viewerOf(c);
    if (c.req.method === 'POST') {
      const { who } = await deps.visitors.formOf(c, 'link');
      if (!who) return show(c, confirmView(question, viewer, { missing: true }), 400);
      const outcome = await giveAnswer(given, who, deps);
      const after = (await loadAnswerable(given.key, deps)) ?? question;
      return show(c, outcomeView({ ...question, alert: after.alert }, viewer, outcome), STATUS[outcome.kind]);
    }
    const refusal = await refusalOf(given, question, deps);
    if (refusal) return show(c, outcomeView(question, viewer, refusal), STATUS[refusal.kind]);
    return show(c, confirmView(question, viewer, { missing: false }), 200);
  });
  return app;
}

/** The alert and answer of a link, or the page that explains why the link is not valid. */
async function open(
  token: string,
  deps: AnswerLinkDeps,
): Promise<{ given: Given; question: Question } | { view: View; status: Status }> {
  const verified = await deps.signer.verify('answer', token);
  if (verified.kind === 'foreign') return { view: FOREIGN, status: 403 };
  if (verified.kind === 'expired') return { view: EXPIRED, status: 410 };
  const given = givenBy(verified);
  const found = await loadAnswerable(given.key, deps);
  if (!found) return { view: GONE, status: 404 };
  return { given, question: { ...found, answer: given.answer } };
}

export function givenBy(link: { id: string; claims: Claims<'answer'>; expiresAt: number }): Given {
  const { answer, ruleId, segment, firedWindowEndAt, fire } = link.claims;
  const { id, expiresAt } = link;
  return { key: { ruleId, segment }, answer, firedWindowEndAt, fire, link: { id, expiresAt } };
}

/** The reason why the answer has no effect; `undefined` if it can be given. */
async function refusalOf(given: Given, { alert, rule }: Question, deps: AnswerLinkDeps) {
  const before = await earlierUse(given, alert, deps);
  if (before) return usedBy(before);
  const at = deps.clock.now();
  const { answer, firedWindowEndAt = 0, fire } = given;
  const reply = { answer, by: '', at, reason: '', firedWindowEndAt, fire, link: null };
  const decided = answerAlert(alert, reply, rule);
  return decided.kind === 'refused' ? decided : undefined;
}

const FOREIGN = messageView(
  'Invalid link',
  'The link is from another Deltawatch, or it was changed. Nothing changed.',
  'Open the link from the message, or answer on the page.',
);
const EXPIRED = messageView(
  'Link expired',
  'Answer links are valid for 14 days. Nothing changed. You can answer on the page.',
);
const GONE = messageView('Alert not found', 'Its rule or segment is no longer watched. Nothing changed.');
