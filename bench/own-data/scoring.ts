import { asksNobody, TRANSITION_NAMES, TRANSITIONS } from '../../shared/alerts/transitions.ts';
import type { SimulatedNotification } from '../simulate.ts';

const ALERTS: ReadonlySet<string> = new Set(
  TRANSITION_NAMES.filter((each) => !asksNobody(each) && TRANSITIONS[each].role !== 'repeats'),
);

/** Whether the notification starts an alert, rather than ending or repeating one. */
export function isAlert({ transition }: { transition: string }): boolean {
  return ALERTS.has(transition);
}

/** An injected incident: the segment whose alert is expected, and others whose alerts are not false. */
export interface Incident {
  from: number;
  expected: { rule: string; segment: string };
  alsoIn: { rule: string; segment: string | null }[];
}

export interface Score {
  isFound: boolean;
  falseAlerts: SimulatedNotification[];
}

/** Without an `incident` every alert is false. */
export function scoreOf(notified: SimulatedNotification[], incident: Incident | undefined): Score {
  const isOf = (each: SimulatedNotification, series: { rule: string; segment: string | null }) =>
    each.rule === series.rule && each.segment === series.segment;
  const isDuring = ({ windowEnd, changePct }: SimulatedNotification) =>
    incident !== undefined && Date.parse(windowEnd) > incident.from && (changePct ?? 0) > 0;
  const affected = incident ? [incident.expected, ...incident.alsoIn] : [];
  const alerts = notified.filter(isAlert);
  return {
    isFound:
      incident !== undefined &&
      alerts.some((each) => each.transition === 'fired' && isOf(each, incident.expected) && isDuring(each)),
    falseAlerts: alerts.filter((each) => !isDuring(each) || !affected.some((series) => isOf(each, series))),
  };
}

/** One line of at most 80 columns: end of the window, transition, rule, segment and figures. */
export function falseAlertLine({
  transition,
  rule,
  segment,
  windowEnd,
  ...figures
}: SimulatedNotification): string {
  const { baseline, current } = figures;
  const moved = current === null ? '' : `: ${shortOf(baseline)} to ${shortOf(current)}`;
  return `${windowEnd.slice(0, 13)} ${transition} ${rule}${segment === null ? '' : ` [${segment}]`}${moved}`;
}

function shortOf(figure: number | null): string {
  return figure === null ? 'nothing' : `${Math.round(figure * 100) / 100}`;
}
