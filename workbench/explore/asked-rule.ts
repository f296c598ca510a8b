import type { Asked, Faults } from '../../functions/respond/page/explore-form.ts';
import { EXPLORE_FILTERS as FILTERS } from '../../functions/respond/page/explore-link.ts';
import { check } from '../../shared/rule-files/rule-faults.ts';
import { METRICS } from '../../shared/rules/metrics.ts';
import { buildFigureRule, type FigureRule, type Rule, ruleSetEntrySchema } from '../../shared/rules/rule.ts';
import { titleOf, withIds } from '../starter/starter-files.ts';

/** A rule, and how a file says it. */
export interface AskedRule {
  rule: FigureRule;
  entry: object;
}

/** The rule asked about, with owner and zone of the app's others, or its faults. `events` may have a slash in a name. */
export function ruleIn(
  asked: Asked,
  deployed: readonly Rule[],
  events: readonly string[],
): AskedRule | { faults: Faults } {
  const field = (name: string) => (asked[name] ?? '').trim();
  const [app, watch, change] = [field('app'), field('watch'), field('change')];
  const groups = field('group').split(/, */).filter(Boolean).map(targetIn);
  const { filters: named = [], ...watched } = watchedBy(watch, events);
  const filters = FILTERS.filter((i) => field(`attribute${i}`) !== '').map((i) =>
    filterIn(field(`attribute${i}`), field(`operator${i}`) || 'equal', field(`value${i}`)),
  );
  const what = [titleOf(watch), ...filters.map(({ value }) => value)].join(', ');
  const title = field('title') || `${what}${field('group') && ` by ${field('group')}`}`;
  const ofApp = deployed.find((rule) => rule.app === app);
  const [{ entry: identified } = { entry: { id: '' } }] = withIds(app, [{ entry: { id: title } }]);
  const entry = {
    ...{ ...identified, title, app, owner: ofApp?.owner ?? `${app}-team` },
    ...(ofApp && ofApp.zone !== 'UTC' && { zone: ofApp.zone }),
    ...{ every: field('grain') === 'hour' ? 'hour' : 'day at 07:00', ...watched },
    ...(filters.length + named.length > 0 && { filters: [...filters, ...named] }),
    ...(groups.length > 0 && { group_by: groups.length === 1 ? groups[0] : groups }),
    ...(change === '' ? { anomaly: true } : { fire: { change: boundsOf(change) } }),
  };
  const checked = check(ruleSetEntrySchema, entry);
  if (checked.kind === 'faults') return { faults: faultsByField(checked.faults, asked) };
  const rule = buildFigureRule(checked.value);
  if ((rule.fire?.change?.below ?? 0) <= -1) return { faults: { change: NEVER } };
  const second = FILTERS.find((i) => field(`attribute${i}`) === 'event_name');
  if (second && !Object.hasOwn(METRICS, watch)) return { faults: { [`attribute${second}`]: SECOND_NAME } };
  return { rule, entry };
}

const NEVER = 'A figure falls by 100% at most, so this never fires: write less, such as -90%.';
const SECOND_NAME = 'The event is chosen above: remove this filter, or choose a metric there.';

const FIELDS = {
  app: 'app',
  group_by: 'group',
  fire: 'change',
  anomaly: 'change',
  id: 'title',
  title: 'title',
};

/** Faults of the rule at the fields that they are about. */
export function faultsByField(
  faults: readonly { path: readonly PropertyKey[]; message: string }[],
  asked: Asked,
): Faults {
  const given = FILTERS.filter((i) => asked[`attribute${i}`]?.trim());
  const fieldOf = ([key, i]: readonly PropertyKey[]) => {
    const filter = key === 'filters' ? given[Number(i)] : undefined;
    return filter === undefined ? String(Object(FIELDS)[key ?? ''] ?? 'watch') : `attribute${filter}`;
  };
  return Object.fromEntries(faults.map(({ path, message }) => [fieldOf(path), message]));
}

/** A metric, two events as `purchase / view_item`, or an event. */
function watchedBy(
  watch: string,
  events: readonly string[],
): { filters?: object[]; metric?: string; ratio?: object } {
  if (Object.hasOwn(METRICS, watch)) return { metric: watch };
  const [, of, to] = /^(.+?) ?\/ ?(.+)$/.exec(watch) ?? [];
  if (to !== undefined && !events.includes(watch)) return { ratio: { of, to } };
  return { metric: 'event_count', filters: [{ attribute: 'event_name', operator: 'equal', value: watch }] };
}

function filterIn(attribute: string, operator: string, value: string) {
  const target = targetIn(attribute);
  const values = /in$|has_any$/.test(operator) ? value.split(/, */) : value;
  const named = typeof target === 'string' ? { attribute: target } : target;
  return { ...named, operator, value: /^(greater|less)/.test(operator) ? Number(value) : values };
}

/** `event_custom_property:plan` is the property "plan". */
function targetIn(written: string) {
  const [attribute = '', ...property] = written.split(':');
  return property.length > 0 ? { attribute, property_name: property.join(':') } : attribute;
}

function boundsOf(change: string) {
  const percent = `${change.replace(/^\+|%$/g, '')}%`;
  return change.startsWith('-') ? { below: percent } : { above: percent };
}
