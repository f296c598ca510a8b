import { html } from 'hono/html';
import type { Html } from '../../../shared/pages/html.ts';
import { type Standing, unreadIn } from '../../../shared/responding/alert-status.ts';

/** More help nobody; the log names them all. */
const NAMED = 20;

/** The rules and alerts that the page cannot show; empty where all can be read. */
export function unreadNote(standing: Standing): Html {
  const rules = unreadIn(standing);
  const alerts = standing.unread.map(({ ruleId, segment }) =>
    segment === null ? ruleId : `${ruleId} (${segment})`,
  );
  if (rules.length + alerts.length === 0) return html``;
  return html`<section><h2>Cannot be read</h2>
${rules.length > 0 && html`<p>Rules, which are not evaluated and not shown on this page: ${named(rules)}. A newer version of Deltawatch may have deployed them. Deploy that version, or deploy the rules again.</p>`}
${alerts.length > 0 && html`<p>Alerts, which may be firing and are not shown on this page: ${named(alerts)}. The log of respond says what is wrong with them.</p>`}</section>`;
}

function named(names: string[]): string {
  const more = names.length > NAMED ? ` and ${names.length - NAMED} more` : '';
  return `${names.slice(0, NAMED).join(', ')}${more}`;
}
