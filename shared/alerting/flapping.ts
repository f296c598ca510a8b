import type { Step, Transition } from './alert.ts';
import { type Calendar, endAfter } from './window.ts';

/** So many changes within so many windows are no longer told one by one. */
const CHANGES = 4;
const WITHIN = 24;

/** Windows without a change after which an alert that flapped is quiet: twice what lay between two changes. */
const QUIET = 12;

/** What begins or ends an alert that fires. */
const CHANGING: ReadonlySet<Transition> = new Set(['fired', 'recovered', 'retracted', 'accepted']);

/**
 * What is left to tell of a step when its changes are counted with those before (`at`: the end of the last window
 * judged). The fourth change in 24 windows is told as `flapping`; those after it are not told at all, until there was
 * none for 12 windows. Then one message says how the alert stands.
 */
export function collapse(step: Step, at: number, calendar: Calendar): Step {
  const { changes, flappingSinceAt } = step.alert;
  const isChange = step.news.some(({ transition }) => CHANGING.has(transition));
  if (!isChange) return flappingSinceAt === null ? step : calm(step, flappingSinceAt, at, calendar);

  const counted = [...changes, at].slice(-CHANGES);
  const alert = { ...step.alert, changes: counted };
  const rest = step.news.filter(({ transition }) => !CHANGING.has(transition));
  if (flappingSinceAt !== null) return { ...step, alert, news: rest };
  const [first = at] = counted;
  if (counted.length < CHANGES || at >= endAfter(first, WITHIN, calendar)) return { ...step, alert };
  const reason = `it fired or ended ${CHANGES} times in ${WITHIN} windows; the next word comes when it has been quiet for ${QUIET}`;
  return {
    ...step,
    alert: { ...alert, flappingSinceAt: at },
    news: [...rest, { transition: 'flapping', reason }],
  };
}

/** Tells how an alert that flapped stands, once it has been quiet for long enough. */
function calm(step: Step, flappingSinceAt: number, at: number, calendar: Calendar): Step {
  const { alert, news } = step;
  if (at < endAfter(alert.changes.at(-1) ?? flappingSinceAt, QUIET, calendar)) return step;
  const stands = alert.fired ? 'fires' : 'is normal';
  const reason = `it ${stands}, and has not changed for ${QUIET} windows`;
  const transition = alert.fired ? 'persists' : 'calmed';
  return {
    ...step,
    alert: { ...alert, changes: [], flappingSinceAt: null },
    news: [...news, { transition, reason }],
  };
}
