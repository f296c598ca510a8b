import { html } from 'hono/html';
import type { AuditEntry } from '../../../shared/alerts/audit.ts';
import { alertPath } from '../../../shared/messages/page-paths.ts';
import type { Html, View } from '../../../shared/pages/html.ts';
import { table } from '../../../shared/pages/table.ts';
import { seenAt, type Viewer } from '../../../shared/pages/time.ts';
import { capitalised } from '../../../shared/text/listed.ts';
import { segmentTag } from './alert-parts.ts';
import { type Filter, listingOf } from './filters.ts';

/** The number of entries that are loaded. */
export const AUDIT_ENTRIES = 2000;

/** By what the entries have. */
export function auditFilters(entries: AuditEntry[]): Filter<AuditEntry>[] {
  return (['by', 'app', 'kind'] as const).map((name) => ({
    ...{ name, label: capitalised(name) },
    input: [...new Set(entries.flatMap((entry) => entry[name] ?? []))].toSorted(),
    matches: (entry, value) => entry[name] === value,
  }));
}

/** Who did what, newest first. */
export function auditView(entries: AuditEntry[], query: Record<string, string>, viewer: Viewer): View {
  const { rows, around } = listingOf(entries, query, {
    ...{ path: '/audit', filters: auditFilters(entries) },
    none: 'Nobody has done anything yet.',
  });
  const cells = rows.map((entry) => [
    entry.kind.replaceAll('-', ' '),
    subjectOf(entry),
    html`<bdi>${entry.by ?? 'unknown'}</bdi> <span class="quiet">(${entry.how})</span>`,
    entry.app ?? '–',
    seenAt(entry.at, viewer),
  ]);
  const body = html`<h1>Audit log</h1>
<p class="lead">Who answered, silenced, noted and deployed, newest first. The last ${AUDIT_ENTRIES} entries of 400 days are here, all others in <code>/api/v1/audit</code>.</p>
${around(table('Audit log, newest first', ['What', 'On', 'Who', 'App', 'When'], cells))}`;
  return { title: 'Audit log', body };
}

function subjectOf({ kind, on, segment, detail, reason }: AuditEntry): Html {
  const why = html`${reason !== '' && html`: <q>${reason}</q>`}`;
  if (kind !== 'answered') return html`<bdi>${detail || on}</bdi>${why}`;
  return html`<a href="${alertPath({ ruleId: on, segment })}">${on}</a>${segment !== null && html` ${segmentTag(segment, undefined)}`} <code>${detail}</code>${why}`;
}
