import { html } from 'hono/html';
import type { Alert } from '../../../shared/alerting/alerts/alert.ts';
import { answersTo } from '../../../shared/alerting/alerts/answers.ts';
import { appOf } from '../../../shared/alerting/alerts/app-alert.ts';
import { sinceOf } from '../../../shared/alerting/alerts/open-since.ts';
import { driverSentences } from '../../../shared/alerting/messages/driver-text.ts';
import { momentsIn } from '../../../shared/alerting/messages/figure-text.ts';
import { rulePath } from '../../../shared/alerting/messages/page-paths.ts';
import { verdictText } from '../../../shared/alerting/messages/verdict-text.ts';
import type { Silence } from '../../../shared/alerting/notifications/silences.ts';
import type { Rule } from '../../../shared/alerting/rules/rule.ts';
import type { Html, View } from '../../../shared/pages/html.ts';
import { inWindowFor, seenAt, timeFor, type Viewer } from '../../../shared/pages/time.ts';
import { isWrong } from '../../../shared/responding/alert-status.ts';
import { acknowledgement } from './acknowledgement.ts';
import { badge, changeText, figures, segmentTag, stateBadges, titleOf } from './alert-parts.ts';
import { answerForm } from './answer-form.ts';
import { evaluationSection } from './evaluation-section.ts';
import { runbook } from './rule-text.ts';
import { timeline } from './timeline.ts';

/** One alert with all that is known of it. `chart` is `undefined` where there is nothing to draw. */
export interface AlertScene {
  alert: Alert;
  rule: Rule | undefined;
  /** Whether its rule is deployed and cannot be read. */
  isUnread: boolean;
  chart: Html | undefined;
  /** By which the form to answer it is known; another each time. */
  formId: string | undefined;
  /** Those that hold. */
  silences: Silence[];
}

const REMOVED = 'The rule was removed. Deltawatch no longer evaluates it or notifies about it.';
const UNREAD = 'The rule cannot be read: it is not evaluated, and messages wait until it can be read.';

/** What a message leads to: what moved and since when, who has it, what drove it, what can be said to it. */
export function alertView(scene: AlertScene, viewer: Viewer): View {
  const { alert, rule, chart } = scene;
  const { segment, last } = alert;
  const body = html`<p class="crumbs"><a href="/alerts">Alerts</a>${rule && html` · <a href="${rulePath(rule.id)}">The rule, its definition and history</a>`}</p>
<h1>${titleOf({ ...alert, segment: null }, rule)}</h1>
<p class="badges">${stateBadges(alert)} ${badge(rule?.severity ?? (isOfApp(alert) ? 'critical' : 'warning'))}${segment !== null && html` ${segmentTag(segment, rule?.group_by)}`}</p>
${!rule && !isOfApp(alert) && html`<p class="notice">${scene.isUnread ? UNREAD : REMOVED}</p>`}
${situation(scene, viewer)}
<div class="columns"><div class="shown">
${drivers(alert, rule)}
${isWrong({ alert }) && rule?.runbook !== undefined && html`<p class="todo"><strong>What to do:</strong> ${runbook(rule.runbook)}</p>`}
${chart && html`<section id="series"><h2>The last windows</h2>${chart}</section>`}
</div><div class="said">
${answerForm(scene, viewer)}
${silenceLink(alert, rule)}
<section id="timeline"><h2>What happened</h2>
${timeline(alert, rule, viewer)}</section>
</div><div class="judged">
${rule && last ? evaluationSection(rule, last, viewer) : ''}
</div></div>`;
  return { title: titleOf(alert, rule), body };
}

function isOfApp(alert: Alert): boolean {
  return appOf(alert) !== undefined;
}

/** The figures as large as they matter, since when it is so and who has it. */
function situation({ alert, rule, silences }: AlertScene, viewer: Viewer): Html {
  const { last } = alert;
  const zone = rule?.zone ?? 'UTC';
  const since = seenAt(sinceOf(alert), viewer, zone);
  return html`<div class="situation ${alert.state}">
${
  rule &&
  last &&
  (rule.members
    ? html`<p class="movement">${verdictText(last, momentsIn(rule.zone))}</p>`
    : html`<p class="movement">${figures(last, rule)} <span class="change">${changeText({ last })}</span></p>
<p class="quiet">${inWindowFor(last.window, rule, viewer)}</p>`)
}
<p>${isWrong({ alert }) ? html`Since ${since}. ${acknowledgement({ alert, rule }, viewer, silences)}${answersTo(alert, rule).length > 0 && html` <a class="to-answer" href="#answer">Answer</a>`}` : html`In this state since ${since}.`}${excused(alert, viewer, zone)}</p>
</div>`;
}

function excused({ excusedUntilAt }: Alert, viewer: Viewer, zone: string): Html | string {
  if (excusedUntilAt === null || excusedUntilAt <= viewer.now) return '';
  return html` Somebody said that it is to be expected until ${timeFor(excusedUntilAt, viewer, zone)}: it does not fire on what happens before.`;
}

/** What drove the fire, as long as it goes on. */
function drivers({ fired, segment }: Alert, rule: Rule | undefined): Html {
  if (!fired?.drivers || !rule || rule.members) return html``;
  const sentences = driverSentences(fired.drivers, { rule, segment });
  return html`<section id="drivers"><h2>What drove it</h2><ul>${sentences.map((each) => html`<li>${each}</li>`)}</ul></section>`;
}

function silenceLink({ ruleId, segment }: Alert, rule: Rule | undefined): Html {
  if (!rule) return html``;
  const query = new URLSearchParams({ rule: ruleId, ...(segment !== null && { segment }) });
  return html`<p class="quiet">More of it to come that is no news? <a href="/silences?${query}#add">Silence it for a while</a>.</p>`;
}
