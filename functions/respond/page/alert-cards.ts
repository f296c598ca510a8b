import { html } from 'hono/html';
import { sinceOf } from '../../../shared/alerts/open-alert.ts';
import type { Evaluation } from '../../../shared/evaluation/evaluation.ts';
import { momentsIn } from '../../../shared/messages/figure-text.ts';
import { alertPath } from '../../../shared/messages/page-paths.ts';
import { verdictText } from '../../../shared/messages/verdict-text.ts';
import type { Html } from '../../../shared/pages/html.ts';
import { inWindowFor, seenAt, type Viewer } from '../../../shared/pages/time.ts';
import type { Watched } from '../../../shared/responding/alert-status.ts';
import { groupText } from '../../../shared/rules/group-by.ts';
import type { FigureRule } from '../../../shared/rules/rule.ts';
import type { Silence } from '../../../shared/silences/silence.ts';
import { acknowledgement } from './acknowledgement.ts';
import { badge, changeText, figures, segmentTag, stateBadges, titleOf } from './alert-parts.ts';
import { spark } from './spark.ts';

/** About one screen. The list of alerts has the rest. */
export const CARDS = 24;
const SPARK = { width: 240, height: 32 };

/** The most severe alerts, with figures, start and acknowledgement. `more`: open alerts that are not shown. */
export function alertCards(
  { shown, more }: { shown: Watched[]; more: number },
  viewer: Viewer,
  silences: Silence[],
): Html {
  return html`<h2 class="hidden">Open alerts</h2>
<ul class="cards">${shown.map((each) => card(each, viewer, silences))}</ul>
${more > 0 && html`<p><a href="/alerts">${more} more</a></p>`}`;
}

function card({ rule, alert }: Watched, viewer: Viewer, silences: Silence[]): Html {
  const { last, segment } = alert;
  const zone = rule?.zone ?? 'UTC';
  return html`<li class="card ${alert.state}">
<p class="badges">${stateBadges(alert)} ${badge(rule?.severity ?? 'critical')}</p>
<h3><a href="${alertPath(alert)}">${titleOf({ ...alert, segment: null }, rule)}</a></h3>
${segment !== null && html`<p>${segmentTag(segment, rule && groupText(rule))}</p>`}
${last && rule && (rule.members ? html`<p class="movement">${verdictText(last, momentsIn(rule.zone))}</p>` : lastWindow(rule, last, viewer))}
${spark(alert, rule, SPARK)}
<p class="quiet">Since ${seenAt(sinceOf(alert), viewer, zone)}</p>
<p class="acknowledgement">${acknowledgement({ alert, rule }, viewer, silences)}</p>
</li>`;
}

function lastWindow(rule: FigureRule, last: Evaluation, viewer: Viewer): Html {
  return html`<p class="movement">${figures(last, rule)}</p>
<p class="change">${changeText({ last })} <span class="quiet">${inWindowFor(last.current.window, rule, viewer)}</span></p>`;
}
