import { html } from 'hono/html';
import type { AlertStore } from '../../../shared/alerts/alert-store.ts';
import { appOf } from '../../../shared/alerts/app-alert.ts';
import { sinceOf } from '../../../shared/alerts/open-alert.ts';
import type { Html, View } from '../../../shared/pages/html.ts';
import { type Cell, table } from '../../../shared/pages/table.ts';
import { seenAt, type Viewer } from '../../../shared/pages/time.ts';
import {
  isOpenOrFlapping,
  type Listed,
  listedIn,
  loadListed,
  type Status,
  type Watched,
} from '../../../shared/responding/alert-status.ts';
import type { Silence } from '../../../shared/silences/silence.ts';
import {
  acknowledgement,
  badge,
  changeText,
  movement,
  segmentText,
  stateBadges,
  subject,
  titleOf,
} from './alert-parts.ts';
import { alertBox, answersForm } from './answer-form.ts';
import { type About, aboutFilters, type Filter, hasState, listingOf, wordsFilter } from './filters.ts';
import { spark } from './spark.ts';

export const STATES = ['firing', 'recovering', 'pending', 'flapping'] as const;

export function alertFilters({ rules }: Status): Filter<Listed>[] {
  return [
    wordsFilter('Rule, app, owner or segment', ({ alert, rule }: Listed) => [
      ...[titleOf(alert, rule), alert.ruleId, rule?.app ?? '', rule?.owner ?? ''],
      segmentText(alert.segment ?? ''),
    ]),
    // The alert of an app has no rule, and no owner.
    ...aboutFilters(
      rules,
      ({ alert, rule }: Listed): About =>
        rule ?? { app: appOf(alert) ?? '', owner: '', severity: 'critical' },
    ),
    {
      ...{ name: 'state', label: 'State', input: STATES },
      matches: ({ alert }, state) => hasState(alert, state),
    },
    {
      ...{ name: 'ack', label: 'Acknowledged', input: ['yes', 'no'] },
      matches: ({ alert }, ack) =>
        isOpenOrFlapping({ alert }) && (alert.acknowledged === null) === (ack === 'no'),
    },
  ];
}

/** The firing and pending alerts that match the query, most severe first. Loads only the shown page. */
export async function alertsView(
  status: Status,
  query: Record<string, string>,
  { alerts, formId }: { alerts: AlertStore; formId: string },
  viewer: Viewer,
): Promise<View> {
  const open = listedIn(status);
  const { rows, around } = listingOf(open, query, {
    ...{ path: '/alerts', filters: alertFilters(status) },
    none: 'No open alerts. An alert appears here when its first window breaches.',
  });
  const shown = await loadListed(rows, alerts);
  const body = html`<h1>Alerts</h1>
<p class="lead">Firing and pending alerts, most severe first. Resolved alerts are in the <a href="/timeline">Timeline</a>.</p>
${around(answersForm(alertTable(shown, viewer, status.silences, true), { shown, formId }, viewer))}`;
  return { title: 'Alerts', body };
}

/** `isForm`: alerts that can be answered have a box. */
export function alertTable(rows: Watched[], viewer: Viewer, silences: Silence[], isForm = false): Html {
  const headings = ['Alert', 'State', 'Baseline → last window', 'Last windows', 'Since', 'Acknowledged'];
  const cells = rows.map(({ alert, rule }): Cell[] => [
    html`${isForm && alertBox({ alert, rule }, viewer)}${subject(alert, rule)}`,
    html`${stateBadges(alert)} ${badge(rule?.severity ?? 'critical')}`,
    rule ? html`${movement(alert, rule)} <span class="change">${changeText(alert, rule)}</span>` : '–',
    spark(alert, rule) || '–',
    seenAt(sinceOf(alert), viewer, rule?.zone),
    alert.state === 'pending' ? '–' : acknowledgement({ alert, rule }, viewer, silences),
  ]);
  return table('Alerts', headings, cells, 'alerts');
}
