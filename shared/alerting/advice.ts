import { timeOfDay } from './cadence.ts';
import { metricOf } from './metrics.ts';
import type { FigureRule } from './rule.ts';
import { percentText } from './wording.ts';

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
  advice.push(...signAdvice(rule));
  const at = timeOfDay(cadence);
  if (at && window === 'day' && at.hour * 60 + at.minute < settle)
    advice.push(`it runs before a day has settled (${settle} minutes), so each day is judged a day late`);
  return advice;
}

/** A bound without its minus sign is right by the letter, and fires on nearly everything. */
function signAdvice({ fire }: FigureRule): string[] {
  const { above, below } = fire?.change ?? {};
  return [
    ...(below !== undefined && below > 0
      ? [
          `fires where the change is below ${percentText(below)}, which no change at all is; for a fall write "-${Math.round(below * 100)}%"`,
        ]
      : []),
    ...(above !== undefined && above < 0
      ? [
          `fires where the change is above ${percentText(above)}, which no change at all is; for a rise leave the minus out`,
        ]
      : []),
  ];
}
