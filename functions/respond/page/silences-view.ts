import { html } from 'hono/html';
import { mayWrite } from '../../../shared/alerts/roles.ts';
import type { Html, View } from '../../../shared/pages/html.ts';
import { table } from '../../../shared/pages/table.ts';
import { seenAt, timeTag, type Viewer } from '../../../shared/pages/time.ts';
import { openIn, type Status } from '../../../shared/responding/alert-status.ts';
import { matchText } from '../../../shared/responding/silencing.ts';
import { SEVERITIES } from '../../../shared/rules/rule-schema.ts';
import { type Match, matchedOf, matches } from '../../../shared/silences/matching.ts';
import { LONGEST_SILENCE_DAYS, type Silence } from '../../../shared/silences/silence.ts';
import { counted } from '../../../shared/text/counted.ts';
import { capitalised } from '../../../shared/text/listed.ts';
import { segmentText } from './alert-parts.ts';
import { nameField } from './answer-form.ts';

/** Rows of the table of ended silences. */
const ENDED_ROWS = 50;

/** The initial values of the form, from the link on an alert. `segment` is exact, not a pattern. */
export type SilencesQuery = { [Key in keyof Match]?: string | undefined };

type Seen = Pick<Status, 'open' | 'byId'>;

/** The active and ended silences, and a form to add one. */
export function silencesView(silences: Silence[], status: Seen, query: SilencesQuery, viewer: Viewer): View {
  const { now } = viewer;
  const holding = silences.filter(({ untilAt }) => untilAt > now).toSorted((a, b) => a.untilAt - b.untilAt);
  const over = silences.filter(({ untilAt }) => untilAt <= now).toSorted((a, b) => b.untilAt - a.untilAt);
  const body = html`<h1>Silences</h1>
<p class="lead">A silence holds back notifications of matching alerts. Evaluation continues. Alerts that still fire when the silence ends are sent then.</p>
<section><h2>Active and scheduled</h2>
${holding.length === 0 ? html`<p class="empty">No active silences.</p>` : activeTable(holding, status, viewer)}</section>
${mayWrite(viewer.grants) && addForm(query, viewer)}
${over.length > 0 && html`<section><h2>Ended</h2>${endedTable(over.slice(0, ENDED_ROWS), viewer)}</section>`}`;
  return { title: 'Silences', body };
}

function matchingAlerts({ match }: Silence, status: Seen): number {
  return openIn(status).filter((each) => matches(match, matchedOf(each))).length;
}

function activeTable(silences: Silence[], status: Seen, viewer: Viewer): Html {
  const rows = silences.map((silence) => {
    const { id, match, fromAt, untilAt } = silence;
    const isComing = fromAt > viewer.now;
    return [
      html`<bdi>${matchText(match)}</bdi>`,
      authorText(silence),
      isComing
        ? html`scheduled from ${seenAt(fromAt, viewer)}`
        : counted(matchingAlerts(silence, status), 'open alert'),
      seenAt(untilAt, viewer),
      !mayWrite(viewer.grants)
        ? ''
        : html`<form method="post" action="/silences/expire"><input type="hidden" name="id" value="${id}"><button>End now<span class="hidden">: the silence of ${matchText(match)}</span></button></form>`,
    ];
  });
  const headings = ['Matches', 'Author and reason', 'Holds back', 'Until', 'Action'];
  return table('Active and scheduled silences', headings, rows);
}

function endedTable(silences: Silence[], viewer: Viewer): Html {
  const rows = silences.map((silence) => [
    html`<bdi>${matchText(silence.match)}</bdi>`,
    authorText(silence),
    seenAt(silence.untilAt, viewer),
  ]);
  return table('Ended silences', ['Matches', 'Author and reason', 'Ended'], rows);
}

function authorText({ by, at, reason }: Silence): Html {
  return html`By <bdi>${by}</bdi>, ${timeTag(at)}${reason !== '' && html`: <q>${reason}</q>`}`;
}

function addForm(query: SilencesQuery, viewer: Viewer): Html {
  return html`<section id="add"><h2>Add a silence</h2>
<form class="panel" method="post" action="/silences">
<p>Matches alerts that meet all conditions. <code>*</code> matches any text. An empty field matches everything.</p>
<div class="inputs">
${field('app', query)}
${field('rule', query)}
${field('owner', query)}
<label>Severity <select name="severity"><option value="">any</option>${SEVERITIES.map((each) => html`<option${query.severity === each && html` selected`}>${each}</option>`)}</select></label>
${segmentField(query)}
</div>
<div class="inputs">
<label>Duration in hours <input name="hours" type="number" min="1" max="${LONGEST_SILENCE_DAYS * 24}" step="any" value="4" required></label>
${nameField(viewer, 'You add this silence as')}
<label>Reason <input name="reason" required maxlength="300" autocomplete="off"></label>
</div>
<p><button class="primary">Add silence</button></p>
</form></section>`;
}

/** The segment of an alert is a hidden field. In a text field, an empty segment or a `*` would match more. */
function segmentField({ rule = '', segment }: SilencesQuery): Html {
  if (segment === undefined) return field('segment', {});
  return html`<p>Segment <span class="segment"><bdi>${segmentText(segment)}</bdi></span> <a href="/silences?${new URLSearchParams({ rule })}#add">Change</a></p>
<input type="hidden" name="segment_is" value="${segment}">`;
}

function field(name: Exclude<keyof Match, 'severity'>, query: SilencesQuery): Html {
  return html`<label>${capitalised(name)} <input name="${name}" value="${query[name] ?? ''}" maxlength="300" autocomplete="off" spellcheck="false"></label>`;
}
