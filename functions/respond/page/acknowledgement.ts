import { html } from 'hono/html';
import type { Html } from '../../../shared/pages/html.ts';
import { timeFor, type Viewer } from '../../../shared/pages/time.ts';
import type { Watched } from '../../../shared/responding/alert-status.ts';
import { matchedOf, matches } from '../../../shared/silences/matching.ts';
import type { Silence } from '../../../shared/silences/silence.ts';

/** Who acknowledged an open alert, and the end of its silence or snooze. `silences`: the active ones. */
export function acknowledgement(watched: Watched, viewer: Viewer, silences: Silence[] = []): Html {
  const { acknowledged } = watched.alert;
  const zone = watched.rule?.zone;
  const who = acknowledged
    ? html`<strong>Acknowledged by <bdi>${acknowledged.by}</bdi></strong> on ${timeFor(acknowledged.at, viewer, zone)}${because(acknowledged.reason)}.`
    : html`<strong>Not acknowledged.</strong>`;
  return html`${who}${mutedUntil(watched, viewer, silences)}`;
}

function mutedUntil({ alert, rule }: Watched, viewer: Viewer, silences: Silence[]): Html | string {
  const { snoozed } = alert;
  const silence = silences.find(({ match }) => matches(match, matchedOf({ alert, rule })));
  if (silence)
    return html` Silenced by <bdi>${silence.by}</bdi> until ${timeFor(silence.untilAt, viewer, rule?.zone)}${because(silence.reason)}.`;
  if (!snoozed || (snoozed.untilAt !== null && snoozed.untilAt <= viewer.now)) return '';
  const until = snoozed.untilAt === null ? 'it recovers' : timeFor(snoozed.untilAt, viewer, rule?.zone);
  return html` Snoozed by <bdi>${snoozed.by}</bdi> until ${until}${because(snoozed.reason)}.`;
}

function because(reason: string): Html | string {
  return reason === '' ? '' : html`: <q>${reason}</q>`;
}
