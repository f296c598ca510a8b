import { html } from 'hono/html';
import type { Alert, AlertKey } from '../../../shared/alerts/alert.ts';
import { appOf } from '../../../shared/alerts/app-alert.ts';
import { type Tone, TRANSITIONS, type Transition } from '../../../shared/alerts/transitions.ts';
import { comparableOf, type Evaluation } from '../../../shared/evaluation/evaluation.ts';
import { levelBand } from '../../../shared/evaluation/expected-limits.ts';
import { firesText, percentText, valueText } from '../../../shared/messages/figure-text.ts';
import { alertPath } from '../../../shared/messages/page-paths.ts';
import { verdictText } from '../../../shared/messages/verdict-text.ts';
import type { Html } from '../../../shared/pages/html.ts';
import { timeTag, type Viewer } from '../../../shared/pages/time.ts';
import { quietOf, type Watched } from '../../../shared/responding/alert-status.ts';
import { groupText } from '../../../shared/rules/group-by.ts';
import { boundsLevel, type FigureRule, type Rule } from '../../../shared/rules/rule.ts';
import { metricOf } from '../../../shared/rules/watched-metric.ts';
import type { Silence } from '../../../shared/silences/silence.ts';

/** The words that are shown as coloured badges, besides transitions. The colour never carries meaning alone. */
const WORDS = {
  bad: ['firing', 'breached', 'failed', 'critical', 'late'],
  warn: ['recovering', 'pending', 'inconclusive', 'warning', 'in work', 'outside'],
  good: ['normal', 'ok', 'clear', 'sent', 'on time', 'within'],
  plain: ['not evaluated yet', 'never ran', 'info', 'kept locally'],
} as const satisfies Record<Tone, readonly string[]>;
type Badged = (typeof WORDS)[Tone][number] | Transition;

export function badge(word: Badged): Html {
  return html`<span class="badge ${toneOf(word)}">${word}</span>`;
}

function toneOf(word: Badged): Tone {
  const transition = Object.entries(TRANSITIONS).find(([name]) => name === word)?.[1];
  return transition?.tone ?? TONES.find((tone) => WORDS[tone].some((each) => each === word)) ?? 'plain';
}

const TONES = ['bad', 'warn', 'good', 'plain'] as const;

/** The state of an alert, and whether it lacks data. Flapping counts as one state. */
export function stateBadges(alert: Pick<Alert, 'state' | 'flappingSinceAt' | 'noData'>): Html {
  const { state, flappingSinceAt, noData } = alert;
  return html`${badge(flappingSinceAt === null ? state : 'flapping')}${noData?.notified && html` ${badge('no-data')}`}`;
}

export function segmentText(segment: string): string {
  return segment || '(none)';
}

/** The title of an alert on one line: its rule or app, and its segment. */
export function titleOf({ ruleId, segment }: AlertKey, rule: Rule | undefined): string {
  const app = appOf({ ruleId });
  const title = app === undefined ? (rule?.title ?? ruleId) : `No data from ${app}`;
  return segment === null ? title : `${title}: ${segmentText(segment)}`;
}

/** The title, linked to the page of the alert. */
export function subject(alert: AlertKey, rule: Rule | undefined): Html {
  const { segment } = alert;
  const name = html`<a href="${alertPath(alert)}">${titleOf({ ...alert, segment: null }, rule)}</a>`;
  return segment === null ? name : html`${name} ${segmentTag(segment, rule && groupText(rule))}`;
}

export function segmentTag(segment: string, attribute: string | undefined): Html {
  return html`<span class="segment">${attribute && html`<span class="quiet">${attribute}</span> `}<bdi>${segmentText(segment)}</bdi></span>`;
}

/** Baseline, value and unit of the last window. */
export function movement({ last }: Alert, rule: Rule): Html | string {
  if (!last) return 'not evaluated yet';
  return rule.members
    ? verdictText(last, rule.zone)
    : html`<span class="movement">${figures(last, rule)}</span>`;
}

/** Baseline, value and unit of an evaluation, the value emphasized; of a plain threshold its bound. */
export function figures(evaluation: Evaluation, rule: FigureRule): Html {
  const { current } = evaluation;
  const level = levelBand(rule);
  if (level)
    return html`<strong>${shownValue(current.value, rule)}</strong> <span class="unit">${metricOf(rule).unit}, ${firesText(level, (limit) => valueText(limit, rule))}</span>`;
  return html`<span class="from">${shownValue(comparableOf(evaluation), rule)}</span> <span class="arrow" role="img" aria-label="to">→</span> <strong>${shownValue(current.value, rule)}</strong> <span class="unit">${metricOf(rule).unit}</span>`;
}

export function changeText({ last }: Pick<Alert, 'last'>, rule: Rule | undefined): string {
  if (!last || last.difference === null) return '–';
  if (rule && !rule.members && boundsLevel(rule)) return '';
  // A line must not break before the sign.
  return last.change === null ? 'new, from 0' : percentText(last.change);
}

/** A figure in the format of the rule's metric, without its unit. */
export function shownValue(value: number | null, rule: FigureRule): string {
  return value === null ? 'no value' : valueText(value, rule);
}

/** Who acknowledged an open alert, and the end of its silence or snooze. `silences`: the active ones. */
export function acknowledgement(watched: Watched, viewer: Viewer, silences: Silence[] = []): Html {
  const { acknowledged } = watched.alert;
  const zone = watched.rule?.zone;
  const who = acknowledged
    ? html`<strong>Acknowledged by <bdi>${acknowledged.by}</bdi></strong> on ${timeTag(acknowledged.at, zone)}${because(acknowledged.reason)}.`
    : html`<strong>Not acknowledged.</strong>`;
  return html`${who}${mutedUntil(watched, viewer, silences)}`;
}

function mutedUntil(watched: Watched, viewer: Viewer, silences: Silence[]): Html | string {
  const quiet = quietOf(watched, silences, viewer.now);
  if (!quiet) return '';
  const until = quiet.until === null ? 'it recovers' : timeTag(quiet.until, watched.rule?.zone);
  return html` ${quiet.because === 'silence' ? 'Silenced' : 'Snoozed'} by <bdi>${quiet.by}</bdi> until ${until}${because(quiet.reason)}.`;
}

function because(reason: string): Html | string {
  return reason === '' ? '' : html`: <q>${reason}</q>`;
}
