import { buildFigureRule, type FigureRule, ruleSetEntrySchema } from '../../shared/alerting/rules/rule.ts';
import type { Holidays } from '../../shared/alerting/time/holiday-schema.ts';
import type { Grain } from '../../shared/alerting/time/window.ts';

const EVERY: Record<Grain, string> = {
  hour: 'hour',
  day: 'day at 00:00',
  week: 'monday at 00:00',
  month: 'month at 00:00',
};

/** What a series is judged by that comes without a rule. */
export interface Plain {
  grain: Grain;
  zone: string;
  measure: 'sum' | 'mean';
  holidays?: Holidays;
}

/**
 * `anomaly: true` and nothing else. Weeks and months have no place in a week: they are held against the one before: more
 * than a tenth away from it, and more than noise.
 */
export function defaultRule({ grain, zone, measure, holidays }: Plain): FigureRule {
  const isSeasonal = grain === 'hour' || grain === 'day';
  return buildFigureRule(
    ruleSetEntrySchema.parse({
      ...{ id: 'series', title: 'The series', app: 'series', owner: 'series' },
      ...{ every: EVERY[grain], window: grain, zone, settle: '0 minutes', restate_for: '0 minutes' },
      metric: measure === 'sum' ? 'event_count' : 'session_seconds',
      ...(isSeasonal
        ? { anomaly: true }
        : { compare: { to: 'previous_period' }, fire: { change: { above: '10%', below: '-10%' } } }),
      ...(holidays && { holidays }),
    }),
  );
}
