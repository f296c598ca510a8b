import { html } from 'hono/html';
import { ANSWER_NAMES, type Answer } from '../../../shared/alerts/alert.ts';
import { answersTo, firingSince } from '../../../shared/alerts/answers.ts';
import { appOf } from '../../../shared/alerts/app-alert.ts';
import { mayWrite } from '../../../shared/alerts/roles.ts';
import { effectOf, LABELS } from '../../../shared/messages/answer-text.ts';
import type { Html } from '../../../shared/pages/html.ts';
import type { Viewer } from '../../../shared/pages/time.ts';
import type { Watched } from '../../../shared/responding/alert-status.ts';
import { titleOf } from './alert-parts.ts';

/** The groups of answers, in display order. `does` describes all answers of a group whose effects are alike. */
const GROUPS: { name: string; answers: Answer[]; does?: string }[] = [
  { name: 'Acknowledge', answers: ['acknowledge'] },
  {
    name: 'Snooze',
    answers: ['snooze-1h', 'snooze-1d', 'snooze-1w', 'snooze-until-recovered'],
    does: 'No messages until then. Evaluation continues. If the alert still fires then, its channels get a reminder.',
  },
  { name: 'Known cause', answers: ['incident', 'holiday', 'accept'] },
];

/** The Enter key presses the first button of a form. This one does nothing, so Enter never snoozes. */
const INERT_FIRST_BUTTON = html`<button disabled hidden></button>`;

/** The answers that apply, and that the viewer may give. */
export function answersFor({ alert, rule }: Watched, { grants }: Viewer): Answer[] {
  return mayWrite(grants, appOf(alert) ?? rule?.app) ? answersTo(alert, rule) : [];
}

/** The form that answers a firing alert. `formId`: submitting the same form twice counts once. */
export function answerForm({ alert, rule, formId }: Watched & { formId: string }, viewer: Viewer): Html {
  const possible = answersFor({ alert, rule }, viewer);
  const firingAt = firingSince(alert);
  if (possible.length === 0 || firingAt === null) return html``;
  return html`<section id="answer"><h2>Answer</h2>
<form class="answer panel" method="post" action="/alerts/answer">
<input type="hidden" name="rule" value="${alert.ruleId}">
${alert.segment !== null && html`<input type="hidden" name="segment" value="${alert.segment}">`}
<input type="hidden" name="fired" value="${firingAt}">
<input type="hidden" name="form" value="${formId}">
${fields(possible, (answer) => effectOf(answer, firingAt, rule), viewer)}
</form></section>`;
}

/** The box of an alert in a list. Its value names the alert and the fire that is shown; empty if nothing fires. */
export function alertBox({ alert, rule }: Watched, viewer: Viewer): Html | string {
  const fired = firingSince(alert);
  if (fired === null || answersFor({ alert, rule }, viewer).length === 0) return '';
  const { ruleId, segment } = alert;
  const named = { rule: ruleId, ...(segment !== null && { segment }), fired: `${fired}` };
  const value = new URLSearchParams(named);
  return html`<input type="checkbox" name="alert" value="${value}" aria-label="Select ${titleOf(alert, rule)}"> `;
}

/** `boxes`: the list whose boxes the form sends, with one answer to all that are ticked. */
export function answersForm(
  boxes: Html,
  { shown, formId }: { shown: Watched[]; formId: string },
  viewer: Viewer,
): Html {
  const each = shown.flatMap((watched) => answersFor(watched, viewer));
  const possible = ANSWER_NAMES.filter((answer) => each.includes(answer));
  if (possible.length === 0) return boxes;
  return html`<form class="answer" method="post" action="/alerts/answers">
<input type="hidden" name="form" value="${formId}">
<p class="scripted"><label><input type="checkbox" id="all"> Select all on this page</label></p>
${boxes}
<p class="to-answers"><a class="button" href="#answers">Answer the selected alerts</a></p>
<section id="answers"><h2>Answer the selected alerts</h2>
<div class="panel">${fields(possible, (answer) => effectOf(answer, null, undefined), viewer)}</div></section></form>`;
}

/** The name, the reason, and the buttons of the possible answers. `effect`: what an answer does. */
function fields(possible: Answer[], effect: (answer: Answer) => string, viewer: Viewer): Html {
  const groups = GROUPS.map((each) => ({
    ...each,
    answers: each.answers.filter((answer) => possible.includes(answer)),
  })).filter(({ answers }) => answers.length > 0);
  return html`${!possible.includes('acknowledge') && INERT_FIRST_BUTTON}
<div class="inputs">
${nameField(viewer, 'You answer as')}
<label>Reason <span class="quiet">(optional, visible to others)</span> <input name="reason" maxlength="300" autocomplete="off"></label>
</div>
${groups.map(
  ({ name, answers, does }) =>
    html`<fieldset><legend>${name}</legend>${
      does === undefined ? answers.map((each) => choices([each], effect(each))) : choices(answers, does)
    }</fieldset>`,
)}`;
}

function choices(answers: Answer[], does: string): Html {
  const [first = ''] = answers;
  const id = `does-${first}`;
  return html`<p class="choice">${answers.map((answer) => button(answer, id))}
<span id="${id}" class="quiet">${does}</span></p>`;
}

function button(answer: Answer, describedBy: string): Html {
  const isFirst = answer === 'acknowledge';
  return html`<button name="answer" value="${answer}" aria-describedby="${describedBy}"${isFirst && html` class="primary"`}>${LABELS[answer]}</button>
`;
}

/** Shows the verified name after `as` ("You answer as"), or asks for a name. */
export function nameField({ name, isKnown }: Viewer, as: string, { missing = false } = {}): Html {
  if (isKnown) return html`<p>${as} <strong><bdi>${name}</bdi></strong>.</p>`;
  return html`<label>Your name <input name="by" value="${name}" required maxlength="80" autocomplete="name"${missing && html` aria-invalid="true" aria-describedby="by-missing"`}></label>
${missing && html`<p id="by-missing" class="bad">Enter your name. It is shown with the answer.</p>`}`;
}
