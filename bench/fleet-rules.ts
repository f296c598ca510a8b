import { buildRule, type Rule, ruleSetEntrySchema } from '../shared/rules/rule.ts';

export const API_KEY = 'bench';
export const APPS = ['app-0', 'app-1', 'app-2'];
export const EVENTS = 600;
export const START = Date.UTC(2026, 0, 5);
/** One in a hundred events stops here. */
export const STOPS_AT = START + 8.5 * 24 * 3_600_000;
export const COUNTRIES = ['Germany', 'France', 'Spain', 'Italy', 'Malta'];
export const PLATFORMS = ['android', 'ios'];

const CADENCES = ['hour at :05', 'hour at :20', 'hour at :35', 'hour at :50'];

/** What a rule is about besides its event: everything, a segment each, or one value. */
const SCOPES: { group_by?: string; filter?: { attribute: string; operator: string; value: string } }[] = [
  {},
  { group_by: 'device_country' },
  { group_by: 'device_platform' },
  { filter: { attribute: 'device_country', operator: 'equal', value: 'Germany' } },
  { filter: { attribute: 'device_platform', operator: 'equal', value: 'android' } },
];

/** `count` rules over all combinations of apps, cadences, scopes and events. */
export const fleetRules = (count: number, apps = APPS): Rule[] =>
  Array.from({ length: count }, (_, i) => fleetRule(i, apps));

function fleetRule(i: number, apps: string[]): Rule {
  const [app, ofApp] = part(i, apps);
  const [every, ofCadence] = part(ofApp, CADENCES);
  const [{ group_by, filter }, ofScope] = part(ofCadence, SCOPES);
  const onEvent = { attribute: 'event_name', operator: 'equal', value: `event_${ofScope % EVENTS}` };
  return buildRule(
    ruleSetEntrySchema.parse({
      ...{ id: `rule-${i}`, title: `Rule ${i}`, app, owner: 'team', every, metric: 'event_count' },
      filters: [onEvent, ...(filter ? [filter] : [])],
      ...(group_by && { group_by }),
      fire: { change: { below: '-60%' } },
      minimum: { baseline: 1 },
    }),
  );
}

/** The item for `i`, and the number of rules with this item before it. */
function part<T>(i: number, items: readonly T[]): [T, number] {
  const item = items[i % items.length];
  if (item === undefined) throw new RangeError('no items');
  return [item, Math.floor(i / items.length)];
}
