import { html } from 'hono/html';
import { rulePath } from '../../../shared/alerting/messages/page-paths.ts';
import {
  type Match,
  matchedOf,
  matches,
  type Silence,
} from '../../../shared/alerting/notifications/silences.ts';
import { SEVERITIES } from '../../../shared/alerting/rules/rule.ts';
import type { Html, View } from '../../../shared/pages/html.ts';
import { counted, table } from '../../../shared/pages/table.ts';
import { seenAt, timeFor, type Viewer } from '../../../shared/pages/time.ts';
import { isWrong, type Standing, watchedIn } from '../../../shared/responding/alert-status.ts';
import { segmentText } from './alert-parts.ts';
import { nameField } from './name-field.ts';

/** Silences that are over and still listed. */
const OVER = 50;

/** What the form is filled in with: where a link led here from an alert, what that is about; `segment` is no pattern. */
export type SilencesQuery = { [Key in keyof Match]?: string | undefined };

/** Who is not told of what, until when and why; and a form to add to it. */
export function silencesView(
  silences: Silence[],
  standing: Standing,
  query: SilencesQuery,
  viewer: Viewer,
): View {
  const { now } = viewer;
  const holding = silences.filter(({ untilAt }) => untilAt > now).toSorted((a, b) => a.untilAt - b.untilAt);
  const over = silences.filter(({ untilAt }) => untilAt <= now).toSorted((a, b) => b.untilAt - a.untilAt);
  const body = html`<h1>Silences</h1>
<p class="lead">Nothing that matches is told while a silence holds. It is judged as ever, and what still fires when the silence ends is told then.</p>
<section><h2>In force</h2>
${holding.length === 0 ? html`<p class="empty">None. Everything is told to those who are to hear it.</p>` : html`<ul class="cards">${holding.map((each) => silenceCard(each, heldBy(each, standing), viewer))}</ul>`}</section>
${addForm(standing, query, viewer)}
${over.length > 0 && html`<section><h2>Over</h2>${overTable(over.slice(0, OVER), viewer)}</section>`}`;
  return { title: 'Silences', body };
}

/** How many of the alerts that are open it is about. */
function heldBy({ match }: Silence, standing: Standing): number {
  return watchedIn(standing).filter((each) => isWrong(each) && matches(match, matchedOf(each))).length;
}

function silenceCard(silence: Silence, held: number, viewer: Viewer): Html {
  const { id, match, fromAt, untilAt } = silence;
  const isComing = fromAt > viewer.now;
  return html`<li class="card silence">
<h3>${matchText(match)}</h3>
<p>${isComing && html`From ${seenAt(fromAt, viewer)} `}${isComing ? 'until' : 'Until'} ${seenAt(untilAt, viewer)}</p>
<p class="quiet">${authorText(silence, viewer)}</p>
<p class="quiet">${isComing ? 'It does not hold yet.' : heldText(held)}</p>
<form method="post" action="/silences/expire"><input type="hidden" name="id" value="${id}">
<button>End it now<span class="hidden">: the silence of ${plainMatch(match)}</span></button></form>
</li>`;
}

function heldText(held: number): string {
  return held === 0 ? 'Nothing that it is about is open.' : `It is about ${counted(held, 'open alert')}.`;
}

function overTable(silences: Silence[], viewer: Viewer): Html {
  const rows = silences.map((silence) => [
    matchText(silence.match),
    authorText(silence, viewer),
    seenAt(silence.untilAt, viewer),
  ]);
  return table('Silences that are over', ['What', 'By whom and why', 'Ended'], rows);
}

function authorText({ by, at, reason }: Silence, viewer: Viewer): Html {
  return html`By <bdi>${by}</bdi>, ${timeFor(at, viewer)}${reason !== '' && html`: <q>${reason}</q>`}`;
}

const WORDS: Record<keyof Match, string> = {
  app: 'app',
  rule: 'rule',
  owner: 'owner',
  severity: 'severity',
  segment: 'segment',
};

function givenIn(match: Match): [string, string][] {
  return Object.entries(match).flatMap(([key, value]) =>
    value === undefined ? [] : [[key, patternText(value)]],
  );
}

function patternText(pattern: NonNullable<Match[keyof Match]>): string {
  if (typeof pattern === 'string') return pattern;
  return 'is' in pattern ? segmentText(pattern.is) : pattern.join(' or ');
}

function plainMatch(match: Match): string {
  const given = givenIn(match);
  return given.length === 0 ? 'everything' : given.map(([key, value]) => `${key} ${value}`).join(', ');
}

function matchText(match: Match): Html {
  const given = givenIn(match);
  if (given.length === 0) return html`Everything`;
  return html`${given.map(
    ([key, value]) =>
      html`<span class="segment"><span class="quiet">${key}</span> <bdi>${key === 'rule' && !value.includes('*') ? html`<a href="${rulePath(value)}">${value}</a>` : value}</bdi></span> `,
  )}`;
}

function addForm({ rules }: Standing, query: SilencesQuery, viewer: Viewer): Html {
  const apps = [...new Set(rules.map(({ app }) => app))].toSorted();
  const owners = [...new Set(rules.map(({ owner }) => owner))].toSorted();
  return html`<section id="add"><h2>Add a silence</h2>
<form class="panel" method="post" action="/silences">
<p>It is about all that has each of these. A <code>*</code> stands for any text; what is left empty may be anything.</p>
<div class="inputs">
${field('app', query, apps)}
${field('rule', query)}
${field('owner', query, owners)}
<label>Severity <select name="severity"><option value="">any</option>${SEVERITIES.map((each) => html`<option${query.severity === each && html` selected`}>${each}</option>`)}</select></label>
${segmentField(query)}
</div>
<div class="inputs">
<label>For how many hours <input name="hours" type="number" min="1" max="720" step="any" value="4" required></label>
${nameField(viewer, 'You silence it as')}
<label>Why <input name="reason" required maxlength="300" autocomplete="off"></label>
</div>
<p><button class="primary">Silence</button></p>
</form></section>`;
}

/** That of an alert goes with the form as it is: written into a field, what is empty or holds a `*` would mean more. */
function segmentField({ rule = '', segment }: SilencesQuery): Html {
  if (segment === undefined) return field('segment', {});
  return html`<p>Segment <span class="segment"><bdi>${segmentText(segment)}</bdi></span> <a href="/silences?${new URLSearchParams({ rule })}#add">Choose another</a></p>
<input type="hidden" name="segment_is" value="${segment}">`;
}

function field(name: Exclude<keyof Match, 'severity'>, query: SilencesQuery, known: string[] = []): Html {
  const word = WORDS[name];
  const label = word.charAt(0).toUpperCase() + word.slice(1);
  const list = known.length > 0 && known.length <= 200 ? `known-${name}` : undefined;
  return html`<label>${label} <input name="${name}" value="${query[name] ?? ''}" maxlength="300" autocomplete="off" spellcheck="false"${list && html` list="${list}"`}></label>
${list && html`<datalist id="${list}">${known.map((each) => html`<option value="${each}"></option>`)}</datalist>`}`;
}
