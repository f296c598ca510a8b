import { type Context, Hono } from 'hono';
import * as z from 'zod';
import { ANSWER_NAMES } from '../../shared/alerts/alert.ts';
import type { Actor } from '../../shared/alerts/audit.ts';
import { NOTE_KEPT_DAYS, type NoteStore, noteTextSchema } from '../../shared/alerts/note.ts';
import { alertPath } from '../../shared/messages/page-paths.ts';
import { type AnsweringDeps, giveAnswer, type Outcome } from '../../shared/responding/give-answer.ts';
import { addSilence, endSilence } from '../../shared/responding/silencing.ts';
import { isExplained } from '../../shared/runtime/errors.ts';
import { type SilenceStore, silenceFormSchema } from '../../shared/silences/silence.ts';
import { MINUTE_MS } from '../../shared/units/durations.ts';
import { outcomesView, type Result } from './page/answer-view.ts';
import { type Frame, layout, type Notice, withNotice } from './page/layout.ts';
import type { Visitors } from './visitors.ts';

export interface PageFormDeps extends AnsweringDeps, Omit<Frame, 'path' | 'done'> {
  notes: Pick<NoteStore, 'save'>;
  newId: () => string;
  silences: SilenceStore;
  visitors: Visitors;
}

const answerFormSchema = z.object({
  rule: z.string().min(1),
  /** Absent for the whole rule. An empty string is a segment. */
  segment: z.string().optional(),
  answer: z.enum(ANSWER_NAMES),
  /** The end of the window that the alert had fired on when the page was rendered. */
  fired: z.coerce.number().optional(),
  /** The id of the form. New for each page view. */
  form: z.string().min(1).max(100).optional(),
});

/** One answer to several alerts. Each is named as in the form of one alert. */
const answersFormSchema = answerFormSchema.pick({ answer: true, form: true }).extend({
  alert: z
    .union([z.string(), z.array(z.string()).max(200)])
    .default([])
    .transform((named): unknown[] =>
      [named].flat().map((each) => Object.fromEntries(new URLSearchParams(each))),
    )
    .pipe(z.array(answerFormSchema.pick({ rule: true, segment: true, fired: true }))),
});

const MOST_MINUTES_AGO = NOTE_KEPT_DAYS * 24 * 60;

/** The form of a note. `back` is the path of the page that it was sent from. */
const noteFormSchema = z.object({
  text: noteTextSchema,
  app: z.string().trim().min(1).max(200),
  minutes_ago: z.coerce.number().int().min(0).max(MOST_MINUTES_AGO),
  back: z.string().regex(/^\/(?:alerts|rules)\/[^\\\p{Cc}]*$/u),
});

const DONE: Record<Outcome['kind'], Notice> = { answered: 'answered', used: 'again', refused: 'too-late' };

/** The endpoints of the forms. Each redirects back to its page with the code of a notice. */
export function pageForms(deps: PageFormDeps): Hono {
  const app = new Hono();
  type Form = z.infer<typeof answerFormSchema>;
  type Named = Pick<Form, 'rule' | 'segment' | 'fired'>;
  const keyOf = ({ rule, segment }: Named) => ({ ruleId: rule, segment: segment ?? null });
  const give = (named: Named, { answer, form = deps.newId() }: Pick<Form, 'answer' | 'form'>, who: Actor) =>
    giveAnswer(
      { key: keyOf(named), answer, firedWindowEndAt: named.fired, link: null, form: `${form}/${answer}` },
      who,
      deps,
    );
  const done = (c: Context, path: string, notice: Notice) => c.redirect(withNotice(path, notice), 303);

  app.post('/alerts/answer', async (c) => {
    const { form, who } = await deps.visitors.formOf(c);
    const asked = answerFormSchema.safeParse(form);
    if (!asked.success) return done(c, '/alerts', 'invalid');
    const key = keyOf(asked.data);
    if (!who) return done(c, alertPath(key), 'invalid');
    const outcome = await give(asked.data, asked.data, who);
    return done(c, alertPath(key), DONE[outcome.kind]);
  });

  app.post('/alerts/answers', async (c) => {
    const { form, who } = await deps.visitors.formOf(c);
    const asked = answersFormSchema.safeParse(form);
    if (!asked.success || !who) return done(c, '/alerts', 'invalid');
    const { answer, alert: alerts } = asked.data;
    const ruleSet = await deps.rules.loadCurrent({ ids: new Set(alerts.map(({ rule }) => rule)) });
    const results = alerts.map(async (named): Promise<Result> => {
      // The other answers count although one fails.
      const outcome = await give(named, asked.data, who).catch((error: unknown) => {
        if (!isExplained(error)) throw error;
        return { kind: 'failed' as const, why: error.message };
      });
      return { alert: keyOf(named), rule: ruleSet?.rules.find(({ id }) => id === named.rule), outcome };
    });
    return c.html(layout(outcomesView(answer, await Promise.all(results)), { ...deps, path: '/alerts' }));
  });

  app.post('/silences', async (c) => {
    const { form, who } = await deps.visitors.formOf(c);
    const asked = silenceFormSchema.safeParse(form);
    if (!asked.success || !who) return done(c, '/silences', 'invalid');
    const { match, lengthMs } = asked.data;
    const now = deps.clock.now();
    const silence = { id: deps.newId(), match, untilAt: now + lengthMs };
    await addSilence(silence, who, now, deps);
    return done(c, '/silences', 'silenced');
  });

  app.post('/silences/expire', async (c) => {
    const { id } = (await deps.visitors.formOf(c)).form;
    const by = (await deps.visitors.viewerOf(c)).name || null;
    const ended =
      typeof id === 'string' && (await endSilence(id, { by, how: 'page' }, deps.clock.now(), deps));
    return done(c, '/silences', ended ? 'unsilenced' : 'too-late');
  });

  app.post('/notes', async (c) => {
    const { form, who } = await deps.visitors.formOf(c);
    const asked = noteFormSchema.safeParse(form);
    if (!asked.success || !who) return done(c, backOf(form), 'invalid');
    const { text, app: about, minutes_ago, back } = asked.data;
    const [now, id] = [deps.clock.now(), deps.newId()];
    const { by } = who;
    await deps.notes.save({ id, text, app: about, at: now - minutes_ago * MINUTE_MS, by });
    await deps.audit.save({ at: now, by, how: 'page', kind: 'note-added', on: id, app: about, detail: text });
    return done(c, back, 'noted');
  });
  return app;
}

/** The page that a form was sent from, even if another field is invalid. */
function backOf(form: Record<string, unknown>): string {
  return noteFormSchema.shape.back.safeParse(form.back).data ?? '/rules';
}
