import type { SimulatedNotification } from '../../local/simulate.ts';
import { asksNobody, TRANSITION_NAMES, TRANSITIONS } from '../../shared/alerting/alerts/transitions.ts';

const ALERTS: ReadonlySet<string> = new Set(
  TRANSITION_NAMES.filter((each) => !asksNobody(each) && TRANSITIONS[each].on.role !== 'repeats'),
);

/** Whether it starts an alert, rather than ending or repeating one. */
export function isAlert({ transition }: { transition: string }): boolean {
  return ALERTS.has(transition);
}

/** What shows the incident: the segment that must be found, and where else it is visible. */
export interface Incident {
  from: number;
  finder: { rule: string; segment: string };
  alsoSeenBy: { rule: string; segment: string | null }[];
}

export interface Score {
  isFound: boolean;
  strays: SimulatedNotification[];
}

/** Without an `incident` every alert is false. */
export function scoreOf(notified: SimulatedNotification[], incident: Incident | undefined): Score {
  const isOf = (each: SimulatedNotification, seen: { rule: string; segment: string | null }) =>
    each.rule === seen.rule && each.segment === seen.segment;
  const isDuring = ({ windowEnd, changePct }: SimulatedNotification) =>
    incident !== undefined && Date.parse(windowEnd) > incident.from && (changePct ?? 0) > 0;
  const shows = incident ? [incident.finder, ...incident.alsoSeenBy] : [];
  const alerts = notified.filter(isAlert);
  return {
    isFound:
      incident !== undefined &&
      alerts.some((each) => each.transition === 'fired' && isOf(each, incident.finder) && isDuring(each)),
    strays: alerts.filter((each) => !isDuring(each) || !shows.some((seen) => isOf(each, seen))),
  };
}

/** In 80 columns: when its window ended, what it is about, and the figures. */
export function strayLine({
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
