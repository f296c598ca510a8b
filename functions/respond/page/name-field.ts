import { html } from 'hono/html';
import type { Html } from '../../../shared/pages/html.ts';
import type { Viewer } from '../../../shared/pages/time.ts';

/** Who gives what a form holds: said (`as`: "You answer as") where that is known, or else asked for. */
export function nameField({ name, isKnown }: Viewer, as: string, { missing = false } = {}): Html {
  if (isKnown) return html`<p>${as} <strong><bdi>${name}</bdi></strong>.</p>`;
  return html`<label>Your name <input name="by" value="${name}" required maxlength="80" autocomplete="name"${missing && html` aria-invalid="true" aria-describedby="by-missing"`}></label>
${missing && html`<p id="by-missing" class="bad">Those who hear of it will ask who it was: write your name.</p>`}`;
}
