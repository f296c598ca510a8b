import { html } from 'hono/html';
import type { Alert } from '../../../shared/alerts/alert.ts';
import { rulePath } from '../../../shared/messages/page-paths.ts';
import type { Html } from '../../../shared/pages/html.ts';
import type { Rule } from '../../../shared/rules/rule.ts';
import { segmentText } from './alert-parts.ts';

/** Segments to choose from. The address takes any other as `with`. */
const CHOICES = 100;

/** Chooses a segment to draw on the chart of `alert`; nothing if there is no other one. */
export function compareForm(
  rule: Rule,
  series: Alert[],
  { alert, other }: { alert: Alert; other: Alert | undefined },
): Html | undefined {
  const choices = series.filter((each) => each.segment !== alert.segment).slice(0, CHOICES);
  const { segment } = alert;
  if (segment === null || choices.length === 0) return undefined;
  const alone = `${rulePath(rule.id)}?${new URLSearchParams({ segment })}`;
  return html`<form class="filters" method="get" action="${rulePath(rule.id)}">
<input type="hidden" name="segment" value="${segment}">
<label>Compare with <select name="with">${choices.map((each) => option(each, other))}</select></label>
<button>Compare</button>${other && html` <a href="${alone}">Show ${segmentText(segment)} alone</a>`}</form>`;
}

function option({ segment }: Alert, other: Alert | undefined): Html {
  const name = segment ?? '';
  return html`<option value="${name}"${segment === other?.segment && html` selected`}>${segmentText(name)}</option>`;
}
