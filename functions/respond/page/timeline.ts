import { html } from 'hono/html';
import type { Alert } from '../../../shared/alerting/alerts/alert.ts';
import { LABELS } from '../../../shared/alerting/messages/answer-text.ts';
import { momentsIn } from '../../../shared/alerting/messages/figure-text.ts';
import { reasonOf } from '../../../shared/alerting/messages/headlines.ts';
import { verdictText } from '../../../shared/alerting/messages/verdict-text.ts';
import type { Rule } from '../../../shared/alerting/rules/rule.ts';
import type { Html } from '../../../shared/pages/html.ts';
import { ago, timeFor, timeTag, type Viewer } from '../../../shared/pages/time.ts';
import { badge } from './alert-parts.ts';

/** One thing that is known to have happened to an alert. */
interface Event {
  at: number;
  what: Html;
}

/** What is kept of an alert's life, the newest first: what it did, what people were told, and what they answered. */
export function timeline(alert: Alert, rule: Rule | undefined, viewer: Viewer): Html {
  const zone = viewer.zone ?? rule?.zone ?? 'UTC';
  const events = [
    ...lived(alert, zone),
    ...notified(alert),
    ...pending(alert, rule, zone, viewer),
    ...answered(alert, zone),
  ];
  if (events.length === 0) return html`<p class="empty">Nothing has happened yet.</p>`;
  // What is excused is an incident until the end of its day.
  const items = events.filter(({ at }) => at <= viewer.now).toSorted((a, b) => b.at - a.at);
  return html`<ol class="timeline">${items.map(
    ({
      at,
      what,
    }) => html`<li><span class="when">${timeFor(at, viewer, rule?.zone)} <span class="ago">${ago(at, viewer.now)}</span></span>
<span class="what">${what}</span></li>`,
  )}</ol>`;
}

function lived(alert: Alert, zone: string): Event[] {
  const { fired, incidents, last, flappingSinceAt, noData, levelSinceAt } = alert;
  const over = fired ? incidents.slice(0, -1) : incidents;
  const event = (at: number | null | undefined, what: Html): Event[] => (at == null ? [] : [{ at, what }]);
  return [
    ...incidents.map(({ startAt }) => ({ at: startAt, what: html`An incident began.` })),
    ...over.map(({ endAt }) => ({ at: endAt, what: html`The incident ended.` })),
    ...event(fired?.windowEndAt, html`${badge('fired')} The window that ended here made it fire.`),
    ...changed(alert),
    ...event(levelSinceAt, html`The level from here on was accepted as the usual one.`),
    ...event(flappingSinceAt, html`${badge('flapping')} It changes so often that each change is not told.`),
    ...event(noData?.sinceAt, html`${badge('no-data')} There is no data from here on.`),
    ...(last
      ? event(
          last.window.endAt,
          html`${badge(last.verdict)} The last window judged: ${verdictText(last, momentsIn(zone))}.`,
        )
      : []),
  ];
}

/** When it began and ceased to fire, which it does in turn; the last is how it stands. */
function changed({ changes, fired }: Alert): Event[] {
  const began = html`${badge('fired')} The window that ended here made it fire.`;
  const ceased = html`It ceased to fire.`;
  const turns = fired ? [began, ceased] : [ceased, began];
  return changes
    .toReversed()
    .flatMap((at, i) => (at === fired?.windowEndAt ? [] : [{ at, what: turns[i % 2] ?? ceased }]));
}

/** One message may go to many channels, within moments. */
function notified({ sent }: Alert): Event[] {
  const messages = Map.groupBy(sent, ({ transition, windowEndAt }) => `${transition} ${windowEndAt}`);
  return [...messages.values()].flatMap((sent): Event[] => {
    const [first] = sent.toSorted((a, b) => a.sentAt - b.sentAt);
    const channels = [...new Set(sent.map(({ channel }) => channel))].join(', ');
    return first ? [{ at: first.sentAt, what: html`Told in ${channels}: ${badge(first.transition)}` }] : [];
  });
}

function pending(alert: Alert, rule: Rule | undefined, zone: string, viewer: Viewer): Event[] {
  const byNews = Map.groupBy(
    Object.values(alert.pending),
    ({ transition, since }): string => `${transition} ${since}`,
  );
  return [...byNews.values()].flatMap((same): Event[] => {
    const [first] = same;
    const channels = [...new Set(same.map(({ channel }) => channel))].join(', ');
    if (!first) return [];
    const when = first.dueAt > viewer.now ? html` ${ago(first.dueAt, viewer.now)}` : '';
    const what = html`${badge(first.transition)} To be told in ${channels}${when}: ${reasonOf({ alert, notification: first, rule }, momentsIn(zone))}`;
    return [{ at: first.since, what }];
  });
}

function answered({ answers, excusedUntilAt }: Alert, zone: string): Event[] {
  return answers.map(({ at, by, reason, answer }) => ({
    at,
    what: html`<strong><bdi>${by}</bdi></strong> answered “${LABELS[answer]}”${reason !== '' && html`: <q>${reason}</q>`}${
      answer === 'holiday' &&
      excusedUntilAt !== null &&
      html` <span class="quiet">Windows that end by ${timeTag(excusedUntilAt, zone)} are held.</span>`
    }`,
  }));
}
