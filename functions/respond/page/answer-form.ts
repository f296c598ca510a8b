import { html } from 'hono/html';
import type { Alert, Answer } from '../../../shared/alerting/alerts/alert.ts';
import { answersTo, standingOn } from '../../../shared/alerting/alerts/answers.ts';
import { effectOf, LABELS } from '../../../shared/alerting/messages/answer-text.ts';
import type { Rule } from '../../../shared/alerting/rules/rule.ts';
import type { Html } from '../../../shared/pages/html.ts';
import type { Viewer } from '../../../shared/pages/time.ts';
import { nameField } from './name-field.ts';

/** Answers by what somebody who gives them means; those that do much the same are told of in one sentence. */
const MEANINGS: { meaning: Meaning; does?: string }[] = [
  { meaning: 'I look after it' },
  {
    meaning: 'Not now',
    does: 'Nothing of it is told until then, but that you said so. It is judged as ever; what still fires then is told again.',
  },
  { meaning: 'I know what it is' },
];

type Meaning = 'I look after it' | 'Not now' | 'I know what it is';

/** In the order in which they are offered. */
const MEANT_BY: Record<Answer, Meaning> = {
  acknowledge: 'I look after it',
  'snooze-1h': 'Not now',
  'snooze-1d': 'Not now',
  'snooze-1w': 'Not now',
  'snooze-until-recovered': 'Not now',
  incident: 'I know what it is',
  holiday: 'I know what it is',
  accept: 'I know what it is',
};

const ORDER = Object.keys(MEANT_BY);

/** The Enter key presses the first button of a form, which must not be one that snoozes. */
const UNHURRIED = html`<button disabled hidden></button>`;

/**
 * What somebody can say of an alert that fires: a name, a reason, and a button for each answer. `formId`: by which the
 * form is known if it is sent twice.
 */
export function answerForm(
  { alert, rule, formId }: { alert: Alert; rule: Rule | undefined; formId: string | undefined },
  viewer: Viewer,
): Html {
  const possible = answersTo(alert, rule).toSorted((a, b) => ORDER.indexOf(a) - ORDER.indexOf(b));
  const standing = standingOn(alert);
  if (possible.length === 0 || standing === null) return html``;
  const groups = MEANINGS.map((each) => ({
    ...each,
    answers: possible.filter((answer) => MEANT_BY[answer] === each.meaning),
  })).filter(({ answers }) => answers.length > 0);
  return html`<section id="answer"><h2>Answer</h2>
<form class="answer panel" method="post" action="/alerts/answer">
<input type="hidden" name="rule" value="${alert.ruleId}">
${alert.segment !== null && html`<input type="hidden" name="segment" value="${alert.segment}">`}
<input type="hidden" name="fired" value="${standing}">
${formId !== undefined && html`<input type="hidden" name="form" value="${formId}">`}
${!possible.includes('acknowledge') && UNHURRIED}
<div class="inputs">
${nameField(viewer, 'You answer as')}
<label>Why <span class="quiet">(others read it)</span> <input name="reason" maxlength="300" autocomplete="off"></label>
</div>
${groups.map(
  ({ meaning, answers, does }) =>
    html`<fieldset><legend>${meaning}</legend>${
      does === undefined
        ? answers.map((each) => choice(each, effectOf(each, standing, rule)))
        : choices(answers, does)
    }</fieldset>`,
)}
</form></section>`;
}

function choice(answer: Answer, does: string): Html {
  return html`<p class="choice">${button(answer, `does-${answer}`)}
<span id="does-${answer}" class="quiet">${does}</span></p>`;
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
