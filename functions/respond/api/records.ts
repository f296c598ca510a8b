import * as z from 'zod';
import type { AlertKey } from '../../../shared/alerts/alert.ts';
import { answersTo, firingSince } from '../../../shared/alerts/answers.ts';
import { appOf } from '../../../shared/alerts/app-alert.ts';
import { sinceOf } from '../../../shared/alerts/open-alert.ts';
import { incidentsOf } from '../../../shared/alerts/past-incidents.ts';
import { driverSentences } from '../../../shared/messages/driver-text.ts';
import { gateText } from '../../../shared/messages/gate-text.ts';
import { figuresOf } from '../../../shared/messages/message.ts';
import { alertPath, rulePath } from '../../../shared/messages/page-paths.ts';
import { reasonText } from '../../../shared/messages/reason-text.ts';
import { verdictText } from '../../../shared/messages/verdict-text.ts';
import { type FailingRule, quietOf, type Watched } from '../../../shared/responding/alert-status.ts';
import { hasSegments, type Rule } from '../../../shared/rules/rule.ts';
import type { Silence } from '../../../shared/silences/silence.ts';
import { iso } from '../../../shared/time/iso.ts';
import type { Window } from '../../../shared/time/window.ts';
import { titleOf } from '../page/alert-parts.ts';
import type { AlertDetail, AlertRecord, RuleRecord } from './schemas.ts';

/** What records are made with. `silences`: the active ones. */
export interface Seen {
  silences: Silence[];
  now: number;
  /** The base of links. */
  publicUrl: string;
}

/** One part of a path, whatever the segment is. */
export function alertId({ ruleId, segment }: AlertKey): string {
  return Buffer.from(JSON.stringify([ruleId, segment])).toString('base64url');
}

const idSchema = z.tuple([z.string(), z.string().nullable()]);

/** The inverse of `alertId`; `undefined` for any other text. */
export function alertKeyOf(id: string): AlertKey | undefined {
  try {
    const [ruleId, segment] = idSchema.parse(JSON.parse(Buffer.from(id, 'base64url').toString()));
    return { ruleId, segment };
  } catch {
    return undefined;
  }
}

/** Orders by what never changes, so that each alert is on exactly one page, whatever happens between two requests. */
export function byKey(a: AlertKey, b: AlertKey): number {
  const order = (x: string, y: string) => (x < y ? -1 : Number(x > y));
  const wholeFirst = Number(a.segment !== null) - Number(b.segment !== null);
  return order(a.ruleId, b.ruleId) || wholeFirst || order(a.segment ?? '', b.segment ?? '');
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
    verdict: last && { verdict: last.verdict, text: verdictText(last, zone) },
    gates: gates.map((gate) => {
      const { gate: name, code, passed } = gate;
      return { gate: name, code, passed, text: gateText(gate, zone, figureRule) };
    }),
    drivers:
      fired?.drivers && figureRule ? driverSentences(fired.drivers, { rule: figureRule, segment }) : [],
    windows: lastWindows.map(({ endAt, value, verdict }) => ({ end: iso(endAt), value, verdict })),
    incidents: incidentsOf(alert, seen.now).map(({ isOpen, ...each }) => ({ ...spanOf(each), open: isOpen })),
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

const spanOf = ({ startAt, endAt }: Window) => ({ start: iso(startAt), end: iso(endAt) });
