import type { AlertKey } from '../../../shared/alerts/alert.ts';
import { answersTo, firingSince } from '../../../shared/alerts/answers.ts';
import { appOf } from '../../../shared/alerts/app-alert.ts';
import type { Note } from '../../../shared/alerts/note.ts';
import { sinceOf } from '../../../shared/alerts/open-alert.ts';
import { type Incident, incidentsOf } from '../../../shared/alerts/past-incidents.ts';
import { driverSentences } from '../../../shared/messages/driver-text.ts';
import { gateText } from '../../../shared/messages/gate-text.ts';
import { figuresOf } from '../../../shared/messages/message.ts';
import { alertPath, rulePath } from '../../../shared/messages/page-paths.ts';
import { reasonText } from '../../../shared/messages/reason-text.ts';
import { verdictText } from '../../../shared/messages/verdict-text.ts';
import { type FailingRule, quietOf, type Watched } from '../../../shared/responding/alert-status.ts';
import { hasSegments, type Rule } from '../../../shared/rules/rule.ts';
import { holdsNow, type Silence } from '../../../shared/silences/silence.ts';
import { iso } from '../../../shared/time/iso.ts';
import type { Window } from '../../../shared/time/window.ts';
import { titleOf } from '../page/alert-parts.ts';
import type { RuleIncident } from '../page/timeline-view.ts';
import {
  type AlertDetail,
  type AlertRecord,
  alertPlaceSchema,
  cursorOf,
  placeIn,
  type RuleRecord,
  type SilenceRecord,
  type TimelineEntry,
} from './schemas.ts';

/** What records are made with. `silences`: the active ones. */
export interface Seen {
  silences: Silence[];
  now: number;
  /** The base of links. */
  publicUrl: string;
}

export const placeOf = ({ ruleId, segment }: AlertKey): [string, string | null] => [ruleId, segment];

/** One part of a path, whatever the segment is. */
const alertId = (key: AlertKey): string => cursorOf(placeOf(key));

/** The inverse of `alertId`; `undefined` for any other text. */
export function alertKeyOf(id: string): AlertKey | undefined {
  const { data } = placeIn(alertPlaceSchema).safeParse(id);
  return data && { ruleId: data[0], segment: data[1] };
}

export function alertRecord(watched: Watched, { silences, now, publicUrl }: Seen): AlertRecord {
  const { alert, rule } = watched;
  const { ruleId, segment, state, flappingSinceAt, last, acknowledged } = alert;
  const app = appOf(alert);
  const quiet = quietOf(watched, silences, now);
  return {
    ...{ id: alertId(alert), ruleId, segment, title: titleOf(alert, rule) },
    ...{ app: app ?? rule?.app ?? null, owner: rule?.owner ?? null },
    severity: rule?.severity ?? (app === undefined ? 'warning' : 'critical'),
    ...{ state, flapping: flappingSinceAt !== null },
    ...{ since: iso(sinceOf(alert)), firedAt: iso(firingSince(alert)) },
    figures: last && rule && !rule.members ? figuresOf({ evaluation: last, rule }) : null,
    window: last && spanOf(last.current.window),
    acknowledged: acknowledged && { ...acknowledged, at: iso(acknowledged.at) },
    quiet: quiet && { ...quiet, until: iso(quiet.until) },
    links: { open: `${publicUrl}${alertPath(alert)}` },
  };
}

export function alertDetail(watched: Watched, seen: Seen): AlertDetail {
  const { alert, rule } = watched;
  const { segment, last, fired, lastWindows, answers, sent } = alert;
  const figureRule = rule?.members ? undefined : rule;
  const zone = rule?.zone ?? 'UTC';
  const gates = last?.gates ?? [];
  return {
    ...alertRecord(watched, seen),
    runbook: rule?.runbook ?? null,
    verdict: last && { verdict: last.verdict, text: verdictText(last, zone, rule) },
    gates: gates.map((gate) => {
      const { gate: name, code, passed } = gate;
      return { gate: name, code, passed, text: gateText(gate, zone, figureRule) };
    }),
    drivers:
      fired?.drivers && figureRule ? driverSentences(fired.drivers, { rule: figureRule, segment }) : [],
    windows: lastWindows.map(({ endAt, value, verdict }) => ({ end: iso(endAt), value, verdict })),
    incidents: incidentsOf(alert, seen.now).map(incidentOf),
    answers: answers.map(({ answer, by, at, reason }) => ({ answer, by, at: iso(at), reason })),
    sent: sent.map(({ transition, channel, sentAt }) => ({ transition, channel, at: iso(sentAt) })),
    mayAnswer: answersTo(alert, rule),
  };
}

/** `failing`: present if the rule cannot be evaluated. */
export function ruleRecord(rule: Rule, failing: FailingRule | undefined, publicUrl: string): RuleRecord {
  const { id, title, app, owner, severity, every, window, zone } = rule;
  return {
    ...{ id, title, app, owner, severity, every, window, zone, segments: hasSegments(rule) },
    health: failing?.ails ?? 'ok',
    unhealthy: failing ? { since: iso(failing.since), reason: reasonText(failing.why, rule) } : null,
    links: { open: `${publicUrl}${rulePath(id)}` },
  };
}

export function incidentRecord({ rule, key, ...incident }: RuleIncident, publicUrl: string): TimelineEntry {
  const { app, owner, severity } = rule;
  const { start: at, end } = incidentOf(incident);
  const about = { id: alertId(key), ...key, title: titleOf(key, rule), app, owner, severity };
  return { kind: 'incident', at, end, ...about, links: { open: `${publicUrl}${alertPath(key)}` } };
}

export const noteRecord = ({ at, ...note }: Note): TimelineEntry => ({ kind: 'note', ...note, at: iso(at) });

export function silenceRecord(silence: Silence, now: number): SilenceRecord {
  const { fromAt, untilAt, at, ...rest } = silence;
  const active = holdsNow(silence, now);
  return { ...rest, from: iso(fromAt), until: iso(untilAt), active, at: iso(at) };
}

/** An end of now would make each answer a new one. */
const incidentOf = ({ startAt, endAt, isOpen }: Incident) => ({
  start: iso(startAt),
  end: isOpen ? null : iso(endAt),
});

const spanOf = ({ startAt, endAt }: Window) => ({ start: iso(startAt), end: iso(endAt) });
