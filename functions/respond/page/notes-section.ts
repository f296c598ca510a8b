import { html } from 'hono/html';
import { authorText, type Note } from '../../../shared/alerts/note.ts';
import { mayWrite } from '../../../shared/alerts/roles.ts';
import type { Html } from '../../../shared/pages/html.ts';
import { seenAt, type Viewer } from '../../../shared/pages/time.ts';
import type { FigureRule } from '../../../shared/rules/rule.ts';
import { nameField } from './answer-form.ts';

/** Notes in the list. On the page of an alert, the numbers are those on the chart. */
const LISTED = 30;

/** The notes, which are newest first, and a form to add one. */
export function notesSection(notes: Note[], viewer: Viewer, zone: string, form?: Html): Html {
  const older = notes.length - LISTED;
  return html`<section id="notes"><h2>Notes</h2>
${
  notes.length === 0
    ? html`<p class="empty">No notes in this time.</p>`
    : html`<ol class="notes" reversed start="${notes.length}">${notes.slice(0, LISTED).map((note) => entry(note, viewer, zone))}</ol>`
}
${older > 0 && html`<p class="quiet">${older} older notes are not listed. They are in <code>npx deltawatch note --list</code>.</p>`}
${form}</section>`;
}

function entry(note: Note, viewer: Viewer, zone: string): Html {
  const scope = note.app === null ? 'for all apps' : `app ${note.app}`;
  return html`<li><strong><bdi>${note.text}</bdi></strong> <span class="quiet">${seenAt(note.at, viewer, zone)}, <bdi>${authorText(note)}</bdi>, <bdi>${scope}</bdi></span></li>`;
}

/** `back`: the path of the page. */
export function noteForm({ app }: FigureRule, back: string, viewer: Viewer): Html {
  if (!mayWrite(viewer.grants, app)) return html``;
  return html`<details><summary>Add a note</summary>
<form class="panel" method="post" action="/notes">
<input type="hidden" name="app" value="${app}"><input type="hidden" name="back" value="${back}">
<p>A note marks when something happened, such as a release. It appears on the charts of all rules of the app <bdi>${app}</bdi>.</p>
<div class="inputs">
<label>What happened <input name="text" required maxlength="200" autocomplete="off"></label>
<label>Minutes ago <input name="minutes_ago" type="number" min="0" max="576000" value="0" required></label>
${nameField(viewer, 'You add this note as')}
</div>
<p><button class="primary">Add note</button></p>
</form></details>`;
}
