import type { Digest, Since } from '../notifications/digest.ts';
import { SEVERITIES } from '../rules/rule-schema.ts';
import { counted } from '../text/counted.ts';
import { firstOf } from '../text/listed.ts';
import { quoted } from '../text/quoted.ts';
import type { Fact } from './facts.ts';
import { type Message, messageOf } from './message.ts';
import { momentText, withoutZone } from './time-text.ts';

/** Names that a line lists. */
const LISTED = 5;

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
      ...{ at: period.endAt, turn: 0, zone, about: null, receipt: null },
    },
  ]);
}

/** "12 alerts of 5 rules fired"; "No rule fired; 11 rules were evaluated". */
export function digestHeadline({ fired, rules, unreadable }: Digest): string {
  if (fired.alerts > 0) return `${counted(fired.alerts, 'alert')} of ${counted(fired.rules, 'rule')} fired`;
  const { deployed, evaluated } = rules;
  const isComplete = unreadable.rules.length + unreadable.alerts.length === 0 && evaluated === deployed;
  return `No rule ${isComplete ? 'fired' : 'is known to have fired'}; ${evaluated} of ${counted(deployed, 'rule')} evaluated`;
}

/** One fact for each thing that there is to say. */
function digestFacts(digest: Digest): Fact[] {
  const { fired, mostFired, notEvaluated, unmatched, silentApps, unreadable, rules, zone } = digest;
  const severities = SEVERITIES.toReversed().flatMap((severity) =>
    fired.bySeverity[severity] > 0 ? [`${fired.bySeverity[severity]} ${severity}`] : [],
  );
  const open = fired.open > 0 ? `; ${fired.open} still open` : '';
  const since = (label: string, all: Since[]) =>
    listFact(
      label,
      all.map(({ name, sinceAt }) =>
        sinceAt === null
          ? `${quoted(name)} (never so far)`
          : `${quoted(name)} since ${momentText(sinceAt, zone)}`,
      ),
    );
  return [
    { label: 'Period', text: periodText(digest) },
    ...listFact('Fired', fired.alerts > 0 ? [`${severities.join(', ')}${open}`] : []),
    ...listFact(
      'Most often',
      mostFired.map(({ rule, fires }) => `${rule} (${fires})`),
    ),
    { label: 'Evaluated', text: `${rules.evaluated} of ${counted(rules.deployed, 'rule')}` },
    ...since('Not evaluated', notEvaluated),
    ...since('Without data', silentApps),
    ...since('Matches no data', unmatched),
    ...listFact('Cannot be read', [
      ...unreadable.rules,
      ...unreadable.alerts.map(({ ruleId, segment }) =>
        segment === null ? ruleId : `${ruleId} (${quoted(segment)})`,
      ),
    ]),
  ];
}

function periodText({ period: { startAt, endAt }, zone }: Digest): string {
  return `${withoutZone(momentText(startAt, zone), zone)} to ${momentText(endAt, zone)}`;
}

function listFact(label: string, texts: string[]): Fact[] {
  return texts.length === 0 ? [] : [{ label, text: firstOf(texts, LISTED).join('; ') }];
}
