import { html } from 'hono/html';
import type { Alert, AlertKey, Answer } from '../../../shared/alerts/alert.ts';
import { firingSince } from '../../../shared/alerts/answers.ts';
import { sinceOf } from '../../../shared/alerts/open-alert.ts';
import { effectOf, LABELS } from '../../../shared/messages/answer-text.ts';
import { alertPath } from '../../../shared/messages/page-paths.ts';
import { verdictText } from '../../../shared/messages/verdict-text.ts';
import type { Html, View } from '../../../shared/pages/html.ts';
import { seenAt, type Viewer } from '../../../shared/pages/time.ts';
import type { Watched } from '../../../shared/responding/alert-status.ts';
import { type Outcome, outcomeText } from '../../../shared/responding/give-answer.ts';
import type { Rule } from '../../../shared/rules/rule.ts';
import { acknowledgement, stateBadges, subject, titleOf } from './alert-parts.ts';
import { nameField } from './answer-form.ts';
import { factSheet } from './evaluation-section.ts';

/** The alert of a link, and the answer that the link gives. */
export type Question = Watched & { answer: Answer };

/** What became of one of several alerts. `failed`: it could not be read or saved. */
export interface Result {
  alert: AlertKey;
  rule: Rule | undefined;
  outcome: Outcome | { kind: 'failed'; why: string };
}

/** "12 acknowledged, 1 had changed", with the alerts that were not answered and why. */
export function outcomesView(answer: Answer, results: Result[]): View {
  const said = {
    answered: answer === 'acknowledge' ? 'acknowledged' : `answered "${LABELS[answer]}"`,
    ...{ refused: 'had changed', used: 'answered before by the same form', failed: 'failed' },
  };
  const parts = Object.entries(said).map(([kind, text]) => {
    const count = results.filter(({ outcome }) => outcome.kind === kind).length;
    return count > 0 ? `${count} ${text}` : '';
  });
  const title = parts.filter(Boolean).join(', ') || 'Nothing selected';
  const left = results.flatMap(({ alert, rule, outcome }) => {
    if (outcome.kind === 'answered' || outcome.kind === 'used') return [];
    const why = outcome.kind === 'failed' ? outcome.why : outcomeText(outcome, rule?.zone ?? 'UTC');
    return [html`<li>${subject(alert, rule)}: ${why}.</li>`];
  });
  const body = html`<h1>${title}</h1>
${left.length > 0 && html`<section><h2>Not answered</h2><ul>${left}</ul></section>`}
<p><a href="/alerts">Alerts</a></p>`;
  return { title, body };
}

/** Asks to confirm an answer. Shows the alert and the effect; opening the page changes nothing. */
export function confirmView(question: Question, viewer: Viewer, asked: { missing: boolean }): View {
  const { answer } = question;
  return {
    title: `${LABELS[answer]}: ${titleOf(question.alert, question.rule)}`,
    body: html`<h1>${LABELS[answer]}?</h1>
${subjectSection(question, viewer)}
<form method="post" class="answer panel">
<p>${effectOf(answer, firingSince(question.alert), question.rule)}</p>
<div class="inputs">
${nameField(viewer, 'You answer as', asked)}
<label>Reason <span class="quiet">(optional)</span> <input name="reason" maxlength="500" autocomplete="off"></label>
</div>
<p><button class="primary">${LABELS[answer]}</button></p>
</form>
${openLink(question.alert)}`,
  };
}

/** The result of an answer, or why it had no effect. */
export function outcomeView(question: Question, viewer: Viewer, outcome: Outcome): View {
  const isDone = outcome.kind === 'answered';
  const title = isDone ? `Done: ${LABELS[question.answer]}` : 'Nothing changed';
  const zone = question.rule?.zone ?? 'UTC';
  return {
    title: `${title}: ${titleOf(question.alert, question.rule)}`,
    body: html`<h1>${title}</h1>
<p class="lead" role="status">${outcomeText(outcome, zone)}.</p>
${subjectSection(question, viewer)}
${openLink(question.alert)}`,
  };
}

function subjectSection({ alert, rule }: Question, viewer: Viewer): Html {
  const firingAt = firingSince(alert);
  return html`<section>
<h2><bdi>${titleOf(alert, rule)}</bdi></h2>
<p class="badges">${stateBadges(alert)}</p>
${figures(alert, rule)}
${firingAt === null ? html`<p>Not firing since ${seenAt(alert.stateSinceAt, viewer, rule?.zone)}.</p>` : html`<p>Firing since ${seenAt(sinceOf(alert), viewer, rule?.zone)}.</p><p>${acknowledgement({ alert, rule }, viewer)}</p>`}
</section>`;
}

function figures({ last }: Alert, rule: Rule | undefined): Html | string {
  if (!last || !rule) return '';
  if (rule.members) return html`<p>${verdictText(last, rule.zone)}</p>`;
  return factSheet(last, rule);
}

function openLink(alert: Alert): Html {
  return html`<p><a href="${alertPath(alert)}">Open the alert</a></p>`;
}
