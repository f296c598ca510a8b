import { html } from 'hono/html';
import type { Html } from '../../../shared/pages/html.ts';
import { type Status, unreadIn } from '../../../shared/responding/alert-status.ts';
import { firstOf } from '../../../shared/text/listed.ts';

/** Names that are listed. The log has all of them. */
const NAMED = 20;

/** Names rules and alerts whose stored items cannot be read. Empty if all can be read. */
export function unreadNote(status: Pick<Status, 'ruleSet' | 'unread'>): Html {
  const rules = unreadIn(status);
  const alerts = status.unread.map(({ ruleId, segment }) =>
    segment === null ? ruleId : `${ruleId} (${segment})`,
  );
  if (rules.length + alerts.length === 0) return html``;
  return html`<section><h2>Cannot be read</h2>
${rules.length > 0 && html`<p>These rules are not evaluated and not shown: ${firstOf(rules, NAMED).join(', ')}. A newer version of Deltawatch may have deployed them. Deploy that version, or deploy the rules again.</p>`}
${alerts.length > 0 && html`<p>These alerts may be firing and are not shown: ${firstOf(alerts, NAMED).join(', ')}. See the log of the respond function.</p>`}</section>`;
}
