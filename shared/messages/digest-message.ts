import {
  type Digest,
  type NoisyRule,
  RESPONSES,
  type Response,
  type RuleSince,
} from '../notifications/digest.ts';
import { SEVERITIES } from '../rules/rule-schema.ts';
import type { Match } from '../silences/matching.ts';
import type { Silence } from '../silences/silence.ts';
import { counted } from '../text/counted.ts';
import { quoted } from '../text/quoted.ts';
import { momentText, withoutZone } from './figure-text.ts';
import { type Message, messageOf } from './message.ts';
import type { Fact } from './message-facts.ts';

/** Names that a line lists. */
const LISTED = 5;

const RESPONSE_TEXTS: Record<Response, string> = {
  incident: 'marked as an incident',
  expected: 'marked as a holiday',
  accepted: 'accepted as the new level',
  acknowledged: 'acknowledged',
  snoozed: 'snoozed',
  none: 'without an answer',
};

/** The digest for one channel. */
export function digestMessage(digest: Digest, channel: string): Message {
  const { period, zone } = digest;
  return messageOf([
    {
      key: `digest#${new Date(period.endAt).toISOString()}#${channel}`,
      ruleId: `digest:${channel}`,
      segment: null,
      transition: 'digest',
      severity: 'info',
      headline: digestHeadline(digest),
      summary: `The digest of ${periodText(digest)}`,
      facts: digestFacts(digest),
      ...{ runbook: null, links: null, figures: null, window: period, app: null },
      ...{ at: period.endAt, turn: 0, zone, about: [], receipt: null },
    },
  ]);
}

/** "12 alerts of 5 rules fired"; "Nothing fired; 11 rules were evaluated". */
export function digestHeadline({ fired, rules, unreadable }: Digest): string {
  if (fired.alerts > 0) {
    const ofRules = fired.rules > 0 ? ` of ${counted(fired.rules, 'rule')}` : '';
    return `${counted(fired.alerts, 'alert')}${ofRules} fired`;
  }
  const { deployed, evaluated } = rules;
  const isComplete = unreadable.rules.length + unreadable.alerts.length === 0 && evaluated === deployed;
  const evaluatedText =
    evaluated === deployed
      ? `${counted(deployed, 'rule')} ${deployed === 1 ? 'was' : 'were'} evaluated`
      : `${evaluated} of ${counted(deployed, 'rule')} ${evaluated === 1 ? 'was' : 'were'} evaluated`;
  return `${isComplete ? 'Nothing fired' : 'Nothing is known to have fired'}; ${evaluatedText}`;
}

/** One fact for each thing that there is to say. */
function digestFacts(digest: Digest): Fact[] {
  const { fired, responses, noisiest, notEvaluated, unmatched, unreadable, silences, rules, zone } = digest;
  const severities = SEVERITIES.toReversed().map(
    (severity) => [severity, fired.bySeverity[severity]] as const,
  );
  const answers = RESPONSES.map((response) => [RESPONSE_TEXTS[response], responses[response]] as const);
  const alerts = unreadable.alerts.map(({ ruleId, segment }) =>
    segment === null ? ruleId : `${ruleId} (${quoted(segment)})`,
  );
  return [
    { label: 'Period', text: periodText(digest) },
    ...(fired.alerts > 0
      ? [
          {
            label: 'Fired',
            text: `${amounts(severities)}${fired.open > 0 ? `; ${fired.open} still open` : ''}`,
          },
          { label: 'Answers', text: amounts(answers) },
          { label: 'Evaluated', text: `${rules.evaluated} of ${counted(rules.deployed, 'rule')}` },
        ]
      : []),
    ...noisiest.map((rule) => ({ label: 'Noisy rule', text: noisyText(rule) })),
    ...listFact(
      'Not evaluated',
      notEvaluated.map((each) => sinceText(each, zone)),
      '; ',
    ),
    ...listFact('Rules that cannot be read', unreadable.rules, ', '),
    ...listFact('Alerts that cannot be read', alerts, ', '),
    ...listFact(
      'Matches no data',
      unmatched.map((each) => sinceText(each, zone)),
      '; ',
    ),
    ...listFact(
      'Silences in force',
      silences.map((each) => silenceText(each, zone)),
      '; ',
    ),
  ];
}

function periodText({ period: { startAt, endAt }, zone }: Digest): string {
  return `${withoutZone(momentText(startAt, zone), zone)} to ${momentText(endAt, zone)}`;
}

function amounts(parts: (readonly [name: string, count: number])[]): string {
  return parts.flatMap(([name, count]) => (count > 0 ? [`${count} ${name}`] : [])).join(', ');
}

function noisyText({ rule, notifications, fires, isFlapping, canBeTuned }: NoisyRule): string {
  const what = [
    ...(notifications > 0 ? [counted(notifications, 'notification')] : []),
    ...(fires > 0 ? [counted(fires, 'fire')] : []),
    ...(isFlapping ? ['flapping'] : []),
  ];
  const command = canBeTuned ? `; to tune it: npx deltawatch suggest ${rule}` : '';
  return `${rule}: ${what.join(', ')}${command}`;
}

function sinceText({ rule, sinceAt }: RuleSince, zone: string): string {
  return sinceAt === null ? `${rule} (never so far)` : `${rule} since ${momentText(sinceAt, zone)}`;
}

function silenceText({ match, untilAt, by, reason }: Silence, zone: string): string {
  const why = reason === '' ? '' : `: ${quoted(reason)}`;
  return `${matchText(match)} until ${momentText(untilAt, zone)}, by ${quoted(by)}${why}`;
}

function matchText(match: Match): string {
  const keys = Object.entries(match).flatMap(([key, pattern]) => {
    if (pattern === undefined) return [];
    const given = typeof pattern === 'string' || Array.isArray(pattern) ? [pattern].flat() : [pattern.is];
    return [`${key}=${given.map(quoted).join(' or ')}`];
  });
  return keys.join(' ') || 'everything';
}

function listFact(label: string, texts: string[], separator: string): Fact[] {
  if (texts.length === 0) return [];
  const left = texts.length - LISTED;
  const more = left > 0 ? [`and ${left} more`] : [];
  return [{ label, text: [...texts.slice(0, LISTED), ...more].join(separator) }];
}
