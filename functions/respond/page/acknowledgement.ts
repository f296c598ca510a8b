import { html } from 'hono/html';
import { matchedOf, matches, type Silence } from '../../../shared/alerting/notifications/silences.ts';
import type { Html } from '../../../shared/pages/html.ts';
import { timeFor, type Viewer } from '../../../shared/pages/time.ts';
import type { Watched } from '../../../shared/responding/alert-status.ts';

/** Who has an alert that is open, and until when nothing of it is told, if so (`silences`: those that hold). */
export function acknowledgement(watched: Watched, viewer: Viewer, silences: Silence[] = []): Html {
  const { acknowledged } = watched.alert;
  const zone = watched.rule?.zone;
  const who = acknowledged
    ? html`<strong><bdi>${acknowledged.by}</bdi> has it</strong> since ${timeFor(acknowledged.at, viewer, zone)}${because(acknowledged.reason)}.`
    : html`<strong>Nobody has it yet.</strong>`;
  return html`${who}${quietUntil(watched, viewer, silences)}`;
}

function quietUntil({ alert, rule }: Watched, viewer: Viewer, silences: Silence[]): Html | string {
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
