import { html } from 'hono/html';
import { authorText, type Note } from '../../../shared/alerts/note.ts';
import type { Html } from '../../../shared/pages/html.ts';
import { seenAt, type Viewer } from '../../../shared/pages/time.ts';
import type { FigureRule } from '../../../shared/rules/rule.ts';
import { nameField } from './answer-form.ts';

/** Notes in the list. The numbers are those on the chart. */
const LISTED = 30;

/** The notes on the chart, the last first, and a form to add one. `back`: the path of the page. */
export function notesSection(rule: FigureRule, notes: Note[], back: string, viewer: Viewer): Html {
  const shown = notes.slice(-LISTED);
  const older = notes.length - shown.length;
  return html`<section id="notes"><h2>Notes</h2>
${
  notes.length === 0
    ? html`<p class="empty">No notes in this time.</p>`
    : html`<ol class="notes" reversed start="${notes.length}">${shown.toReversed().map((note) => entry(note, note.app === null ? FOR_ALL : undefined, viewer, rule.zone))}</ol>`
}
${olderNote(older)}
${addForm(rule, back, viewer)}</section>`;
}

function entry(note: Note, scope: string | undefined, viewer: Viewer, zone: string): Html {
  const { text, at } = note;
  return html`<li><strong><bdi>${text}</bdi></strong> <span class="quiet">${seenAt(at, viewer, zone)}, <bdi>${authorText(note)}</bdi>${scope && html`, <bdi>${scope}</bdi>`}</span></li>`;
}

const FOR_ALL = 'for all apps';

/** The newest of these notes, which are in this order; nothing without notes. */
export function notesList(notes: Note[], viewer: Viewer, zone: string): Html | undefined {
  if (notes.length === 0) return undefined;
  const older = notes.length - LISTED;
  return html`<section id="notes"><h2>Notes</h2>
<ul class="notes">${notes.slice(0, LISTED).map((note) => entry(note, note.app === null ? FOR_ALL : `app ${note.app}`, viewer, zone))}</ul>
${olderNote(older)}</section>`;
}

function olderNote(older: number): Html | false {
  return (
    older > 0 &&
    html`<p class="quiet">${older} older notes are not listed. They are in <code>npx deltawatch note --list</code>.</p>`
  );
}

function addForm({ app }: FigureRule, back: string, viewer: Viewer): Html {
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
