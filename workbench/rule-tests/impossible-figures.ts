import { rangeQuestionFor } from '../../shared/readings/series.ts';
import type { FigureRule, Rule } from '../../shared/rules/rule.ts';
import { CalendarWindows } from '../../shared/time/calendar-windows.ts';
import { type Calendar, lastClosedWindow } from '../../shared/time/window.ts';
import type { ZoneClock } from '../../shared/time/zone-clock.ts';
import type { BoundSeries } from './bound-series.ts';
import { addsUp, type Needed, neededBy } from './participating-rules.ts';
import type { SeriesFault } from './series-fault.ts';
import { partsOf } from './series-source.ts';
import { localText } from './test-times.ts';

/** Figures that no service would return, by path in the test: they would prove nothing. */
export function impossibleFigures(series: BoundSeries[], rules: Rule[], clock: ZoneClock): SeriesFault[] {
  const figured = rules.flatMap((rule) => (rule.members ? [] : [rule]));
  return [
    ...sentWhileStopped(series, clock),
    ...figured.flatMap((rule) => [...countedTwice(series, rule), ...acrossWindows(series, rule, clock)]),
  ];
}

function sentWhileStopped(series: BoundSeries[], clock: ZoneClock): SeriesFault[] {
  return series.flatMap((each, i): SeriesFault[] => {
    const others = series.filter(
      ({ app }) => app === undefined || each.app === undefined || app === each.app,
    );
    const at = each.windows.findIndex(
      (_, place) =>
        firstSeen(each, place) === 'stopped' &&
        others.some((other) => typeof firstSeen(other, place) === 'number'),
    );
    const window = each.windows[at];
    if (!window) return [];
    const message = `the app sends nothing at ${localText(window.startAt, clock)}, but another series has a value then: stale applies to all series; use _ for one series without a row`;
    return [{ path: ['series', i, 'values'], message }];
  });
}

function firstSeen({ sights }: BoundSeries, place: number) {
  return sights[place]?.[0]?.value;
}

/** Series of people that would be added, although a person can be in several. */
function countedTwice(series: BoundSeries[], rule: FigureRule): SeriesFault[] {
  const own = series.filter(({ app }) => app === undefined || app === rule.app);
  return neededBy(rule).flatMap((needed) => countedTwiceFor(needed, own, series, rule));
}

function countedTwiceFor(
  { metric: counted, eventNames, ...subject }: Needed,
  own: BoundSeries[],
  series: BoundSeries[],
  rule: FigureRule,
): SeriesFault[] {
  if (counted.kind !== 'count' || addsUp(counted)) return [];
  const { aggregations: _, parts: __, eventNames: ___, ...shared } = rangeQuestionFor([rule], []);
  const asked = { ...shared, ...subject, aggregations: [], ...(eventNames.length > 0 && { eventNames }) };
  return partsOf(own, asked).flatMap(({ members }): SeriesFault[] => {
    const [, second] = members.filter(({ metric }) => metric.key === counted.key);
    if (!second) return [];
    const message = `${rule.id} watches ${counted.unit}, which cannot be added across series, because one may be in several: write one series for all`;
    return [{ path: ['series', series.indexOf(second)], message }];
  });
}

/** Values that span two windows of a rule, such as a day of another zone. */
function acrossWindows(series: BoundSeries[], rule: FigureRule, clock: ZoneClock): SeriesFault[] {
  if (rule.zone === clock.zone) return [];
  const calendar: Calendar = { grain: rule.window, zone: rule.zone };
  const calendarWindows = new CalendarWindows(calendar);
  const across = series
    .flatMap(({ windows }) => windows)
    .find(({ startAt, endAt }) => calendarWindows.after(lastClosedWindow(startAt, calendar)).endAt < endAt);
  if (!across) return [];
  const message = `${rule.id} has ${rule.window}s of ${rule.zone}, and the value of ${localText(across.startAt, clock)} in ${clock.zone} lies in two of them: write "zone: ${rule.zone}", or shorter windows as "interval"`;
  return [{ path: ['zone'], message }];
}
