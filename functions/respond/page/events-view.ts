import { html } from 'hono/html';
import * as z from 'zod';
import type { Alert } from '../../../shared/alerts/alert.ts';
import { alertPath } from '../../../shared/messages/page-paths.ts';
import { inWindowText, momentText, withoutZone } from '../../../shared/messages/time-text.ts';
import type { Html, View } from '../../../shared/pages/html.ts';
import { type Cell, table } from '../../../shared/pages/table.ts';
import type { MetricSource } from '../../../shared/readings/metric-source.ts';
import { questionFor, windowFilter } from '../../../shared/readings/series.ts';
import type { FigureRule } from '../../../shared/rules/rule.ts';
import { titleOf } from './alert-parts.ts';
import { segmentFilters } from './explore-link.ts';

/** Rows of the table, and letters of a cell. */
const SHOWN = 50;
const LONGEST = 300;

/** What a row shows of a record: headings, and paths of fields. */
const COLUMNS = {
  event: {
    ...{ When: 'eventDate', Event: 'eventName', User: 'userProperty.kSvc_UserIdentity' },
    ...{ Screen: 'eventScreen', Device: 'device.model', Properties: 'eventProperty' },
  },
  session: {
    ...{ When: 'property.deviceLocalDateTime', User: 'user.userProperty.kSvc_UserIdentity' },
    ...{ Country: 'location.country', Platform: 'device.platform', Version: 'device.appVersion' },
    ...{ Seconds: 'property.durationSec', 'Rage gestures': 'property.rageGestureCount' },
  },
} as const;

/** The newest events or sessions behind the last figure of an alert, as the service lists them. */
export async function eventsView(
  { segment, last, ...alert }: Alert,
  rule: FigureRule,
  source: Pick<MetricSource, 'readRecords'>,
): Promise<View | undefined> {
  if (!last || !source.readRecords) return undefined;
  const { window } = last.current;
  const { parts: [part] = [], ...whole } = questionFor([rule], window);
  const { filters } = part ?? whole;
  const endpoint = (part ?? whole).endpoint === 'event' ? 'event' : 'session';
  const names = part ? [part.eventName ?? []].flat() : (whole.eventNames ?? []);
  const own = segmentFilters(rule, segment);
  const all = [windowFilter(window), ...filters, ...(own ?? [])];
  if (names.length > 0) all.push({ attribute: 'event_name', operator: 'in', value: names });
  const read = own
    ? await source.readRecords({ app: rule.app, endpoint, filters: all }, SHOWN)
    : { kind: 'failed', reason: 'no filter of the service selects this segment' };
  const title = `${titleOf({ ...alert, segment }, rule)}: ${endpoint}s`;
  const body = html`<p class="crumbs"><a href="${alertPath({ ...alert, segment })}">Alert</a></p>
<h1>${title}</h1>
<p class="lead">The newest ${SHOWN} at most, ${inWindowText(window, { grain: rule.window, zone: rule.zone })}.</p>
${'value' in read ? recordsTable(title, read.value, { columns: COLUMNS[endpoint], zone: rule.zone }) : html`<p class="notice">They cannot be listed: ${read.reason}</p>`}`;
  return { title, body };
}

function recordsTable(
  title: string,
  records: object[],
  { columns, zone }: { columns: Readonly<Record<string, string>>; zone: string },
): Html {
  if (records.length === 0) return html`<p class="empty">There are none.</p>`;
  const known = Object.entries(columns).filter(([, path]) => records.some((each) => isShown(at(each, path))));
  const rows = records.map((record) => known.map(([, path]) => cellOf(at(record, path), zone)));
  return table(title, Object.keys(Object.fromEntries(known)), rows);
}

const at = (record: object, path: string): unknown =>
  path.split('.').reduce<unknown>((of, name) => Object(of)[name], record);

/** Fields that an app does not send are empty. */
const isShown = (value: unknown) => typeof value === 'number' || Object.keys(Object(value ?? '')).length > 0;

/** Times in the zone that the page names. Properties as words: a browser does not break JSON. */
function cellOf(found: unknown, zone: string): Cell {
  const { data: moment } = z.iso.datetime({ offset: true }).safeParse(found);
  if (moment !== undefined) return withoutZone(momentText(Date.parse(moment), zone), zone);
  if (typeof found !== 'object' || found === null) return html`<bdi>${found ?? '–'}</bdi>`;
  const words = Object.entries(found).map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
  return html`<bdi>${words.join(', ').slice(0, LONGEST)}</bdi>`;
}
