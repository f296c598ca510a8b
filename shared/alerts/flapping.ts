import type { Reason } from '../evaluation/reason.ts';
import { type Calendar, endAfter, type Grain } from '../time/window.ts';
import type { Alert, News, Step } from './alert.ts';
import { TRANSITIONS } from './transitions.ts';

/** This many changes within this many windows count as flapping. Two incidents in a month do not. */
const CHANGES = 4;
const WITHIN: Record<Grain, number> = { hour: 24, day: 10, week: 6, month: 6 };

/** Windows without a change after which flapping ends: twice the distance of two changes. */
const quietAfter = ({ grain }: Calendar) => WITHIN[grain] / 2;

/** Minimum number of firing windows to end flapping. */
const LASTING = 3;

/** Changes kept: two whole fires and the start of the one that may last. */
const REMEMBERED = CHANGES + 1;

/**
 * The step with notifications reduced by flapping (`at`: end of the last evaluated window). The fourth change in 24
 * hours, 10 days or 6 longer windows is sent as `flapping`; later changes are not sent. Flapping ends after half as
 * long without a change, or when it fires for longer than it did while it flapped. Then one notification gives the
 * state.
 */
export function suppressFlapping(step: Step, at: number, calendar: Calendar): Step {
  const { changes, flappingSinceAt } = step.alert;
  const hasChanged = step.news.some(isChange);
  if (!hasChanged) return flappingSinceAt === null ? step : endFlapping(step, flappingSinceAt, at, calendar);

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
  return TRANSITIONS[transition].isChange;
}

/** Once the alert was steady or fired for long enough, ends flapping and sends a notification for its state. */
function endFlapping(step: Step, flappingSinceAt: number, at: number, calendar: Calendar): Step {
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

/** Whether it has been firing for longer than in each remembered fire: starts and ends alternate. */
function outlasts({ state, changes }: Alert, at: number, calendar: Calendar): boolean {
  const [began, ...before] = changes.toReversed();
  if (state !== 'firing' || began === undefined || at < endAfter(began, LASTING, calendar)) return false;
  const lengths = before.flatMap((endedAt, i) => (i % 2 === 0 ? [endedAt - (before[i + 1] ?? endedAt)] : []));
  return lengths.every((length) => at - began > length);
}
