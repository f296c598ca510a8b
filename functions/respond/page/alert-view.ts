import { html } from 'hono/html';
import type { Alert } from '../../../shared/alerts/alert.ts';
import { appOf } from '../../../shared/alerts/app-alert.ts';
import { sinceOf } from '../../../shared/alerts/open-alert.ts';
import { mayWrite } from '../../../shared/alerts/roles.ts';
import { driverSentences } from '../../../shared/messages/driver-text.ts';
import { alertPath, eventsPath, rulePath } from '../../../shared/messages/page-paths.ts';
import { inWindowText } from '../../../shared/messages/time-text.ts';
import { verdictText } from '../../../shared/messages/verdict-text.ts';
import type { Html, View } from '../../../shared/pages/html.ts';
import { seenAt, timeTag, type Viewer } from '../../../shared/pages/time.ts';
import { isOpenOrFlapping, type Watched } from '../../../shared/responding/alert-status.ts';
import { groupText } from '../../../shared/rules/group-by.ts';
import type { Rule } from '../../../shared/rules/rule.ts';
import type { Silence } from '../../../shared/silences/silence.ts';
import {
  acknowledgement,
  badge,
  changeText,
  figures,
  segmentTag,
  stateBadges,
  titleOf,
} from './alert-parts.ts';
import { answerForm, answersFor } from './answer-form.ts';
import { evaluationSection } from './evaluation-section.ts';
import { exploreTag } from './explore-link.ts';
import { noteForm, notesSection } from './notes-section.ts';
import { ruleIdText, runbook } from './rule-text.ts';
import type { Figure } from './series-section.ts';
import { timeline } from './timeline.ts';

/** The data of the page of one alert. `figure` is `undefined` if there is nothing to draw. */
export interface AlertScene extends Watched {
  /** The rule is deployed, but its stored item cannot be read. */
  isUnread: boolean;
  /** The URL of the rule's line in its repository. */
  sourceLink?: string | undefined;
  figure: Figure | undefined;
  /** Identifies the answer form, so that submitting it twice counts once. New for each page view. */
  formId: string;
  silences: Silence[];
  /** Whether the events behind the figure can be listed. */
  listed?: boolean;
}

const REMOVED = 'The rule was removed. Deltawatch no longer evaluates it or notifies about it.';
const UNREAD = 'The rule cannot be read: it is not evaluated, and messages wait until it can be read.';

/** The page that messages link to: figures, state, drivers, evaluation, history and answers of one alert. */
export function alertView(scene: AlertScene, viewer: Viewer): View {
  const { alert, rule, figure } = scene;
  const { segment, last } = alert;
  const body = html`<p class="crumbs"><a href="/alerts">Alerts</a>${rule && html` · <a href="${rulePath(rule.id)}">Rule</a>`}${exploreTag(rule, segment, viewer)}</p>
<h1>${titleOf({ ...alert, segment: null }, rule)}</h1>
<p class="badges">${stateBadges(alert)} ${badge(rule?.severity ?? (isOfApp(alert) ? 'critical' : 'warning'))}${segment !== null && html` ${segmentTag(segment, rule && groupText(rule))}`}${rule && html` ${ruleIdText(rule.id, scene.sourceLink)}`}</p>
${!rule && !isOfApp(alert) && html`<p class="notice">${scene.isUnread ? UNREAD : REMOVED}</p>`}
${situation(scene, viewer)}
<div class="columns"><div class="shown">
${drivers(alert, rule)}
${isOpenOrFlapping({ alert }) && rule?.runbook !== undefined && html`<p class="todo"><strong>What to do:</strong> ${runbook(rule.runbook)}</p>`}
${figure && html`<section id="series"><h2>${figure.isLast ? 'Recent' : 'Earlier'} windows</h2>${figure.drawn}${scene.listed && last && html`<p><a href="${eventsPath(alert)}">Show the events</a></p>`}</section>`}
${rule && !rule.members && notesSection(figure?.notes.toReversed() ?? [], viewer, rule.zone, noteForm(rule, alertPath(alert), viewer))}
</div><div class="answers">
${answerForm(scene, viewer)}
${silenceLink(alert, rule, viewer)}
<section id="timeline"><h2>Timeline</h2>
${timeline(alert, rule, viewer)}</section>
</div><div class="evaluation">
${rule && last ? evaluationSection(rule, last, viewer) : ''}
</div></div>`;
  return { title: titleOf(alert, rule), body };
}

function isOfApp(alert: Alert): boolean {
  return appOf(alert) !== undefined;
}

/** The figures, the start of the state, and the acknowledgement. */
function situation({ alert, rule, silences }: AlertScene, viewer: Viewer): Html {
  const { last } = alert;
  const since = seenAt(sinceOf(alert), viewer, rule?.zone);
  return html`<div class="situation ${alert.state}">
${
  rule &&
  last &&
  (rule.members
    ? html`<p class="movement">${verdictText(last, rule.zone)}</p>`
    : html`<p class="movement">${figures(last, rule)} <span class="change">${changeText({ last }, rule)}</span></p>
<p class="quiet">${inWindowText(last.current.window, { grain: rule.window, zone: rule.zone })}</p>`)
}
<p>${isOpenOrFlapping({ alert }) ? html`Since ${since}. ${acknowledgement({ alert, rule }, viewer, silences)}${answersFor({ alert, rule }, viewer).length > 0 && html` <a class="to-answer" href="#answer">Answer</a>`}` : html`In this state since ${since}.`}${excused(alert, viewer, rule?.zone)}</p>
</div>`;
}

function excused({ excusedUntilAt }: Alert, viewer: Viewer, zone: string | undefined): Html | string {
  if (excusedUntilAt === null || excusedUntilAt <= viewer.now) return '';
  return html` Marked as expected until ${timeTag(excusedUntilAt, zone)}: earlier windows do not fire.`;
}

/** The drivers of the change, while the alert fires. */
function drivers({ fired, segment }: Alert, rule: Rule | undefined): Html {
  if (!fired?.drivers || !rule || rule.members) return html``;
  const sentences = driverSentences(fired.drivers, { rule, segment });
  return html`<section id="drivers"><h2>Drivers</h2><ul>${sentences.map((each) => html`<li>${each}</li>`)}</ul></section>`;
}

function silenceLink({ ruleId, segment }: Alert, rule: Rule | undefined, { grants }: Viewer): Html {
  if (!rule || !mayWrite(grants, rule.app)) return html``;
  const query = new URLSearchParams({ rule: ruleId, ...(segment !== null && { segment }) });
  return html`<p class="quiet"><a href="/silences?${query}#add">Silence this alert</a></p>`;
}
