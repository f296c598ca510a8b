import { html } from 'hono/html';
import type { Alert, AlertState, Health, Transition } from '../../../shared/alerting/alert.ts';
import type { Verdict } from '../../../shared/alerting/evaluation.ts';
import { metricOf } from '../../../shared/alerting/metrics.ts';
import type { Rule, Severity } from '../../../shared/alerting/rule.ts';
import { figure, percentText } from '../../../shared/alerting/wording.ts';
import type { Html } from './html.ts';

type Tone = 'bad' | 'warn' | 'good' | 'plain';

/** Everything that is shown as a coloured word. The word says it too: never the colour alone. */
const TONES: Record<AlertState | Health['kind'] | Verdict | Transition | Severity | 'unseen', Tone> = {
  firing: 'bad',
  recovering: 'warn',
  pending: 'warn',
  normal: 'good',
  unseen: 'plain',
  ok: 'good',
  inconclusive: 'warn',
  failing: 'bad',
  broken: 'bad',
  breached: 'bad',
  clear: 'good',
  'no-data': 'warn',
  failed: 'bad',
  fired: 'bad',
  recovered: 'good',
  retracted: 'good',
  accepted: 'warn',
  excused: 'good',
  restarted: 'warn',
  acknowledged: 'warn',
  reminded: 'bad',
  flapping: 'warn',
  calmed: 'good',
  persists: 'bad',
  'data-back': 'good',
  stalled: 'bad',
  healed: 'good',
  stopped: 'bad',
  resumed: 'good',
  info: 'plain',
  warning: 'warn',
  critical: 'bad',
};

export function badge(word: keyof typeof TONES): Html {
  return html`<span class="badge ${TONES[word]}">${word === 'unseen' ? 'not judged yet' : word}</span>`;
}

/** The state of an alert, which is one as long as it flaps, and whether it waits for data. */
export function stateBadges({ state, flappingSinceAt, noData }: Alert): Html {
  return html`${badge(flappingSinceAt === null ? state : 'flapping')}${noData?.told && html` ${badge('no-data')}`}`;
}

export function segmentText(segment: string): string {
  return segment || '(none)';
}

export function seriesPath({ ruleId, segment }: Pick<Alert, 'ruleId' | 'segment'>): string {
  const path = `/rules/${encodeURIComponent(ruleId)}`;
  return segment === null ? path : `${path}?${new URLSearchParams({ segment })}`;
}

/** The rule's title, linked, and the segment; of a rule that was removed only its id is left. */
export function subject(alert: Pick<Alert, 'ruleId' | 'segment'>, rule: Rule | undefined): Html {
  const { segment } = alert;
  const name = rule ? html`<a href="${seriesPath(alert)}">${rule.title}</a>` : alert.ruleId;
  return segment === null ? html`${name}` : html`${name} ${segmentTag(segment, rule?.group_by)}`;
}

export function segmentTag(segment: string, attribute: string | undefined): Html {
  return html`<span class="segment">${attribute && html`<span class="quiet">${attribute}</span> `}${segmentText(segment)}</span>`;
}

/** What the last window was against its baseline: from, to, unit. */
export function movement({ last }: Alert, rule: Rule): Html | string {
  if (!last) return 'not judged yet';
  if (rule.members) return last.reason;
  const { unit } = metricOf(rule);
  return html`<span class="figure">${valueText(last.baseline.value)} <span class="arrow" aria-label="to">→</span> <strong>${valueText(last.current.value)}</strong></span> ${unit}`;
}

export function changeText({ last }: Pick<Alert, 'last'>): string {
  if (!last || last.difference === null) return '–';
  // A line must not break before the sign.
  return last.change === null ? 'new, from 0' : percentText(last.change).replace(' ', '\u00a0');
}

export function valueText(value: number | null): string {
  return value === null ? 'no value' : figure(value);
}
