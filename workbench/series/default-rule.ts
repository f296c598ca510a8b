import { buildFigureRule, type FigureRule, ruleSetEntrySchema } from '../../shared/rules/rule.ts';
import type { Holidays } from '../../shared/time/holiday-schema.ts';
import type { Grain } from '../../shared/time/window.ts';

const EVERY: Record<Grain, string> = {
  hour: 'hour',
  day: 'day at 00:00',
  week: 'monday at 00:00',
  month: 'month at 00:00',
};

/** The rule of a series that comes without one. */
export interface Plain {
  grain: Grain;
  zone: string;
  measure: 'sum' | 'mean';
  holidays?: Holidays;
}

/**
 * `anomaly: true` alone. Weeks and months have no weekly season, so they compare with the one before: a change
 * above 10% that is significant.
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
