import { html } from 'hono/html';
import { momentsIn } from '../../../shared/messages/figure-text.ts';
import { rulePath } from '../../../shared/messages/page-paths.ts';
import { reasonText } from '../../../shared/messages/reason-text.ts';
import type { Html } from '../../../shared/pages/html.ts';
import { table } from '../../../shared/pages/table.ts';
import { seenAt, type Viewer } from '../../../shared/pages/time.ts';
import type { FailingRule } from '../../../shared/responding/alert-status.ts';
import { badge } from './alert-parts.ts';

export function failingTable(failing: FailingRule[], viewer: Viewer): Html {
  const rows = failing.map(({ rule, ails, since, why }) => [
    html`<a href="${rulePath(rule.id)}">${rule.title}</a>`,
    badge(ails),
    reasonText(why, { at: momentsIn(viewer.zone ?? rule.zone), window: rule.window, verdict: '' }),
    seenAt(since, viewer, rule.zone),
  ]);
  return table('Rules that cannot be evaluated', ['Rule', 'Health', 'Reason', 'Since'], rows);
}
