import { html } from 'hono/html';
import type { Filter } from '../../../shared/contract/filters.ts';
import { boundsText, figure, watchedText } from '../../../shared/messages/figure-text.ts';
import { routeTexts } from '../../../shared/messages/route-text.ts';
import { type Routes, routesAtAnyTime } from '../../../shared/notifications/routes.ts';
import type { Html } from '../../../shared/pages/html.ts';
import { facts } from '../../../shared/pages/table.ts';
import { seenAt, type Viewer } from '../../../shared/pages/time.ts';
import { comparisonText } from '../../../shared/rules/comparison.ts';
import { ownFigures } from '../../../shared/rules/figures.ts';
import { groupText } from '../../../shared/rules/group-by.ts';
import { propertyMetric } from '../../../shared/rules/metric.ts';
import type { FigureRule, Rule } from '../../../shared/rules/rule.ts';
import { metricOf } from '../../../shared/rules/watched-metric.ts';
import { counted } from '../../../shared/text/counted.ts';
import { nextRun } from '../../../shared/time/cadence.ts';
import { badge } from './alert-parts.ts';

export function definition(rule: Rule, routes: Routes, viewer: Viewer): Html {
  const receivers = routeTexts(routesAtAnyTime(rule, routes));
  return facts([
    [rule.members ? 'Condition' : 'Metric', watches(rule)],
    ...figuresOf(rule),
    ['Filter', filtersText(rule.filters)],
    ...(rule.group_by ? [['Grouped by', html`<code>${groupText(rule)}</code>`] as const] : []),
    [
      'Schedule',
      html`every ${rule.every} (${rule.cadence.zone}), next ${seenAt(nextRun(rule.cadence, viewer.now), viewer, rule.zone)}`,
    ],
    ['Window', `one ${rule.window} of ${rule.zone}, evaluated ${rule.settle} minutes after its end`],
    ...(rule.members ? [] : tests(rule)),
    ['Fires after', windowsText(rule.fire_after)],
    [
      'Recovers after',
      `${windowsText(rule.recover_after)} without a breach${rule.recover ? ` of ${boundsText(rule.recover, rule)}` : ''}`,
    ],
    ['Severity', badge(rule.severity)],
    ['Notifies', rule.quiet ? 'no channel, unless it cannot be evaluated' : receivers.join(', ')],
    ['Owner', rule.owner],
    ...(rule.runbook ? [['What to do', runbook(rule.runbook)] as const] : []),
  ]);
}

function watches(rule: Rule): Html {
  const written = typeof rule.metric === 'object' ? propertyMetric(rule.metric).unit : rule.metric;
  const metric = rule.formula ?? written;
  return html`${watchedText(rule)}${metric && html` (<code>${metric}</code>)`} of the app <code>${rule.app}</code>`;
}

/** The figures of a ratio or a formula that have filters of their own. */
function figuresOf(rule: Rule) {
  return ownFigures(rule).map(
    ({ metric, filters, path }) =>
      [
        `Figure ${path.at(-1)}`,
        html`${metricOf({ metric }).unit}${filters.length > 0 && html`, ${filtersText(filters)}`}`,
      ] as const,
  );
}

function tests(rule: FigureRule) {
  return [
    ['Compared with', comparisonText(rule.baseline, rule.window)],
    ['Fires on', breachText(rule)],
    ['Minimum', minimumText(rule.minimum)],
    ['Confidence', `${figure(rule.confidence * 100)}%`],
  ] as const;
}

function breachText(rule: FigureRule): string {
  const { fire, anomaly, sensitivity } = rule;
  const anomalous = anomaly === true ? 'any anomaly' : `an anomalous ${anomaly}`;
  const at = sensitivity ? ` at ${sensitivity} sensitivity` : '';
  const parts = [...(fire ? [boundsText(fire, rule)] : []), ...(anomaly ? [`${anomalous}${at}`] : [])];
  return parts.join(', and it must be ');
}

function minimumText(minimum: Rule['minimum']): string {
  const asked = Object.entries(minimum).filter(([, least]) => least > 0);
  return asked.map(([name, least]) => `${name} ${figure(least)}`).join(', ') || 'none';
}

function windowsText({ hits, windows }: { hits: number; windows: number }): string {
  return `${hits} of ${counted(windows, 'window')}`;
}

function filtersText(filters: Filter[]): string {
  return filters.map(filterText).join(', and ') || 'none';
}

function filterText(filter: Filter): string {
  const { attribute, property_name } = filter;
  const name = property_name === undefined ? attribute : `${attribute} "${property_name}"`;
  return `${name} ${filter.operator.replaceAll('_', ' ')} ${operandText(filter.value)}`;
}

function operandText(value: Filter['value']): string {
  if (Array.isArray(value)) return value.map((each) => JSON.stringify(each)).join(', ');
  return typeof value === 'object' ? `${value.lower} to ${value.upper}` : JSON.stringify(value);
}

/** The id of a rule, linked to its line in the repository if that is known. */
export function ruleIdText(id: string, sourceLink: string | undefined): Html {
  const name = html`<code>${id}</code>`;
  return sourceLink === undefined ? name : html`<a href="${sourceLink}" rel="noreferrer">${name}</a>`;
}

/** A link for a web address, otherwise plain text. */
export function runbook(text: string): Html | string {
  return /^https?:\/\//.test(text) ? html`<a href="${text}" rel="noreferrer">${text}</a>` : text;
}
