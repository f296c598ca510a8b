import { timeOfDay } from './cadence.ts';
import { metricOf } from './metrics.ts';
import type { FigureRule } from './rule.ts';

/** What is right but probably not meant, in sentences for whoever wrote the rule. */
export function adviceFor(rule: FigureRule): string[] {
  const { cadence, window, settle } = rule;
  const advice: string[] = [];
  const hasShape = metricOf(rule).kind === 'count' && (window === 'hour' || window === 'day');
  if (hasShape && rule.baseline.to === 'previous_period') {
    const like =
      window === 'day'
        ? 'Mondays look like a rise and Saturdays like a fall'
        : 'each morning looks like a rise';
    advice.push(`held against the ${window} before, ${like}; same_weekday compares like with like`);
  }
  const at = timeOfDay(cadence);
  if (at && window === 'day' && at.hour * 60 + at.minute < settle)
    advice.push(`it runs before a day has settled (${settle} minutes), so each day is judged a day late`);
  return advice;
}
