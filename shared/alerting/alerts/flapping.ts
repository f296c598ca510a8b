import type { Reason } from '../evaluation/reason.ts';
import { type Calendar, endAfter, type Grain } from '../time/window.ts';
import type { Alert, News, Step } from './alert.ts';
import { TRANSITIONS } from './transitions.ts';

/** So many changes within so many windows are no longer told one by one; two incidents in a month are no flapping. */
const CHANGES = 4;
const WITHIN: Record<Grain, number> = { hour: 24, day: 10, week: 6, month: 6 };

/** Windows without a change after which an alert that flapped is quiet: twice what lay between two changes. */
const quietAfter = ({ grain }: Calendar) => WITHIN[grain] / 2;

/** Windows that one must fire at the least, to be no longer what only comes and goes. */
const LASTING = 3;

/** What is remembered: two whole fires, and the beginning of the one that may last. */
const REMEMBERED = CHANGES + 1;

/**
 * What is left to tell of a step when its changes are counted with those before (`at`: the end of the last window
 * judged). The fourth change in 24 hours, 10 days or 6 longer windows is told as `flapping`; those after it are not
 * told at all, until there was none for half as long, or it fires for longer than it did while it flapped. Then one
 * message says how the alert stands.
 */
export function collapse(step: Step, at: number, calendar: Calendar): Step {
  const { changes, flappingSinceAt } = step.alert;
  const hasChanged = step.news.some(isChange);
  if (!hasChanged)
    return flappingSinceAt === null ? step : expectedRange(step, flappingSinceAt, at, calendar);

  const counted = [...changes, at].slice(-REMEMBERED);
  const alert = { ...step.alert, changes: counted };
  const rest = step.news.filter((each) => !isChange(each));
  if (flappingSinceAt !== null) return { ...step, alert, news: rest };
  const [first = at] = counted.slice(-CHANGES);
  if (counted.length < CHANGES || at >= endAfter(first, WITHIN[calendar.grain], calendar))
    return { ...step, alert };
  const reason = {
    code: 'flapping',
    changes: CHANGES,
    windows: WITHIN[calendar.grain],
    quietFor: quietAfter(calendar),
  } as const;
  return {
    ...step,
    alert: { ...alert, flappingSinceAt: at },
    news: [...rest, { transition: 'flapping', reason }],
  };
}

function isChange({ transition }: News): boolean {
  return TRANSITIONS[transition].on.isChange;
}

/** Tells how an alert that flapped stands, once it has been quiet, or fires, for long enough. */
function expectedRange(step: Step, flappingSinceAt: number, at: number, calendar: Calendar): Step {
  const { alert, news } = step;
  const isQuiet = at >= endAfter(alert.changes.at(-1) ?? flappingSinceAt, quietAfter(calendar), calendar);
  if (!isQuiet && !outlasts(alert, at, calendar)) return step;
  const reason: Reason = isQuiet
    ? { code: 'flapping-ended', isFiring: alert.fired !== null, windows: quietAfter(calendar) }
    : { code: 'fires-for-longer' };
  const transition = alert.fired ? 'persists' : 'calmed';
  return {
    ...step,
    alert: { ...alert, changes: [], flappingSinceAt: null },
    news: [...news, { transition, reason }],
  };
}

/** Whether it has been firing for longer than in any of the fires remembered: they begin and end in turn. */
function outlasts({ state, changes }: Alert, at: number, calendar: Calendar): boolean {
  const [began, ...before] = changes.toReversed();
  if (state !== 'firing' || began === undefined || at < endAfter(began, LASTING, calendar)) return false;
  const lengths = before.flatMap((endedAt, i) => (i % 2 === 0 ? [endedAt - (before[i + 1] ?? endedAt)] : []));
  return lengths.every((length) => at - began > length);
}
