import { html } from 'hono/html';
import type { Html } from './html.ts';
import { type InForce, unreadIn } from './standing.ts';

/** More help nobody; the log names them all. */
const NAMED = 20;

/** Which rules nothing is known of; nothing where each can be read. */
export function unreadNote(standing: Pick<InForce, 'ruleSet'>): Html {
  const unread = unreadIn(standing);
  if (unread.length === 0) return html``;
  const named = unread.slice(0, NAMED).join(', ');
  const more = unread.length > NAMED ? ` and ${unread.length - NAMED} more` : '';
  return html`<section><h2>Cannot be read</h2>
<p>${named}${more}: not evaluated, and not shown on this page. A newer version of Deltawatch may have deployed these rules. Deploy that version, or deploy the rules again.</p></section>`;
}
