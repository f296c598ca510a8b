import { html } from 'hono/html';
import type { Alert, SentNotification } from '../../../shared/alerts/alert.ts';
import { LABELS } from '../../../shared/messages/answer-text.ts';
import { reasonOf } from '../../../shared/messages/facts.ts';
import type { Html } from '../../../shared/pages/html.ts';
import { ago, timeTag, type Viewer } from '../../../shared/pages/time.ts';
import type { Rule } from '../../../shared/rules/rule.ts';
import { MINUTE_MS } from '../../../shared/units/durations.ts';
import { badge } from './alert-parts.ts';

/** An entry of the timeline. `at` is in epoch milliseconds. */
interface Event {
  at: number;
  what: Html;
}

/** The stored history of an alert, newest first: state changes, notifications and answers. */
export function timeline(alert: Alert, rule: Rule | undefined, viewer: Viewer): Html {
  const events = [
    ...stateChanges(alert),
    ...sentEvents(alert),
    ...pending(alert, rule, viewer),
    ...answered(alert),
  ];
  if (events.length === 0) return html`<p class="empty">No events yet.</p>`;
  // An excused incident lasts until the end of its day, which may be in the future.
  const items = events.filter(({ at }) => at <= viewer.now).toSorted((a, b) => b.at - a.at);
  return html`<ol class="timeline">${items.map(
    ({
      at,
      what,
    }) => html`<li><span class="when">${timeTag(at, rule?.zone)} <span class="ago">${ago(at, viewer.now)}</span></span>
<span class="what">${what}</span></li>`,
  )}</ol>`;
}

function stateChanges({ fired, incidents, ...alert }: Alert): Event[] {
  const { flappingSinceAt, noData, levelSinceAt } = alert;
  const over = fired ? incidents.slice(0, -1) : incidents;
  const event = (at: number | null | undefined, what: Html): Event[] => (at == null ? [] : [{ at, what }]);
  return [
    ...incidents.map(({ startAt }) => ({ at: startAt, what: html`Incident started.` })),
    ...over.map(({ endAt }) => ({ at: endAt, what: html`Incident ended.` })),
    ...event(fired?.windowEndAt, html`${badge('fired')} The window that ended at this time breached.`),
    ...event(levelSinceAt, html`Rebaselined: this level is the baseline from here on.`),
    ...event(
      flappingSinceAt,
      html`${badge('flapping')} The state changes often. Single changes are not sent.`,
    ),
    ...event(noData?.sinceAt, html`${badge('no-data')} No data from this time on.`),
  ];
}

/** One entry for the channels that were notified in the same minute. */
function sentEvents({ sent }: Alert): Event[] {
  const keyOf = ({ transition, sentAt }: SentNotification) =>
    `${transition} ${Math.floor(sentAt / MINUTE_MS)}`;
  return [...Map.groupBy(sent, keyOf).values()].flatMap((same): Event[] => {
    const [first] = same;
    const channels = [...new Set(same.map(({ channel }) => channel))].join(', ');
    return first ? [{ at: first.sentAt, what: html`${badge(first.transition)} Sent to ${channels}.` }] : [];
  });
}

function pending(alert: Alert, rule: Rule | undefined, viewer: Viewer): Event[] {
  return Object.values(alert.pending).map((notification) => {
    const { transition, channel, since, dueAt } = notification;
    const when = dueAt > viewer.now ? ` ${ago(dueAt, viewer.now)}` : '';
    const why = reasonOf({ notification, rule });
    return { at: since, what: html`${badge(transition)} Pending for ${channel}${when}: ${why}` };
  });
}

function answered({ answers }: Alert): Event[] {
  return answers.map(({ at, by, reason, answer }) => ({
    at,
    what: html`<strong><bdi>${by}</bdi></strong> answered “${LABELS[answer]}”${reason !== '' && html`: <q>${reason}</q>`}`,
  }));
}
