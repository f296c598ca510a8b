import type { Debt } from './alert.ts';
import type { Fact } from './message-facts.ts';
import { quoted } from './quoted.ts';
import { momentText } from './wording.ts';

/** The first words of whatever tells of a drill, so that nobody takes it for an alert. */
export function drillHeadline(transition: 'drill' | 'drill-over'): string {
  return transition === 'drill' ? 'Fire drill: nothing is wrong' : 'Fire drill over: nothing was wrong';
}

/** Who called it, for which route, and why. */
export function drillSummary({ drill, route, reason, transition }: Debt): string {
  if (transition === 'drill-over') return `Whoever reads this hears of alerts by the route ${route}`;
  const why = reason === '' ? '' : ` (${quoted(reason)})`;
  return `${quoted(drill?.by || 'Somebody')} tries the route ${route}${why}`;
}

export function drillFacts(debt: Debt): Fact[] {
  const { drill, route, reason, since, transition } = debt;
  const called = `${quoted(drill?.by || 'somebody')}, ${momentText(since, 'UTC')}`;
  return [
    { label: 'Called by', text: called },
    ...(reason === '' ? [] : [{ label: 'Why', text: quoted(reason) }]),
    { label: 'Route', text: route },
    {
      label: 'What now',
      text:
        transition === 'drill'
          ? 'Nothing: that it is over is told in a minute or two.'
          : 'Nothing: whatever the drill opened is closed.',
    },
  ];
}
