import { html } from 'hono/html';
import type { Html } from '../../../shared/pages/html.ts';
import type { Viewer } from '../../../shared/pages/time.ts';

/** Shows the verified name after `as` ("You answer as"), or asks for a name. */
export function nameField({ name, isKnown }: Viewer, as: string, { missing = false } = {}): Html {
  if (isKnown) return html`<p>${as} <strong><bdi>${name}</bdi></strong>.</p>`;
  return html`<label>Your name <input name="by" value="${name}" required maxlength="80" autocomplete="name"${missing && html` aria-invalid="true" aria-describedby="by-missing"`}></label>
${missing && html`<p id="by-missing" class="bad">Enter your name. It is shown with the answer.</p>`}`;
}
