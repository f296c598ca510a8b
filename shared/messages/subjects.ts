import type { AlertKey } from '../alerts/alert.ts';
import { OTHERS } from '../contract/grouping.ts';
import { seriesOf } from '../readings/series.ts';
import { groupsOf, groupText } from '../rules/group-by.ts';
import type { Rule } from '../rules/rule.ts';
import { quoted } from '../text/quoted.ts';
import { watchedText } from './figure-text.ts';

/**
 * The subject of a message: "Purchases in Germany". A title that describes a movement is followed by the metric:
 * "Checkout broke: checkout_completed". A title that says nothing is omitted.
 */
export function subjectOf({ ruleId, segment }: AlertKey, rule: Rule | undefined): string {
  if (!rule) return segment === null ? ruleId : `${ruleId} (${named(segment)})`;
  const title = quoted(segment === null ? rule.title : withoutGrouping(rule.title, rule));
  const name = !isMeaningful(title, rule)
    ? measuredOf(rule)
    : MOVEMENTS.test(title)
      ? `${title.replace(/[\s.:!?]+$/u, '')}: ${measuredOf(rule)}`
      : title;
  return segment === null ? name : `${name} ${placeOf(segment, rule)}`;
}

/** "Purchases, by country" of one country is "Purchases". */
function withoutGrouping(title: string, { group_by }: Rule): string {
  return group_by ? title.replace(/,?\s+by (?:\p{L}+ ?){1,3}$/u, '') : title;
}

/** A title that is the rule's id, or almost empty, says less than the metric. */
function isMeaningful(title: string, { id }: Rule): boolean {
  return title !== id && (title.match(/\p{L}/gu)?.length ?? 0) > 2;
}

const MOVEMENTS =
  /[.!?]$|\b(?:broke|broken|fail(?:s|ed|ing)?|fell|falls?|drops?|dropped|declin(?:es?|ed|ing)|los[st]|missing|stops?|stopped|rose|rises?|spikes?|surges?|jumps?|jumped|outage|too (?:many|few|high|low)|is|are|was|down|up)\b/iu;

/** The event if the rule counts one, otherwise the metric. */
function measuredOf(rule: Rule): string {
  if (rule.members || rule.ratio || rule.funnel || typeof rule.metric !== 'string')
    return quoted(watchedText(rule));
  const [event] = seriesOf(rule).eventNames;
  if (event === undefined) return watchedText(rule);
  return rule.metric === 'event_count' ? quoted(event) : `${watchedText(rule)} of ${quoted(event)}`;
}

/** The preposition before a segment of this attribute. */
const PLACES: Record<string, string> = {
  device_country: 'in',
  device_city: 'in',
  device_platform: 'on',
  device_model: 'on',
  event_screen_name: 'on',
  app_version: 'in version',
};

function placeOf(segment: string, rule: Rule): string {
  const group = groupText(rule);
  if (group === '') return `(${named(segment)})`;
  const attribute = group.replaceAll(/\b(?:device|event|session|user)_/g, '').replaceAll('_', ' ');
  if (segment === '') return `without ${attribute}`;
  if (segment === OTHERS) return `(all other values of ${attribute})`;
  if (groupsOf(rule).length > 1) return `(${quoted(segment)})`;
  const word = PLACES[group];
  return word === undefined ? `(${attribute} ${quoted(segment)})` : `${word} ${quoted(segment)}`;
}

function named(segment: string): string {
  return segment === '' ? 'none' : quoted(segment);
}
