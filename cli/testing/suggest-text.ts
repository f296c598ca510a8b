import { figure, percentText } from '../../shared/messages/figure-text.ts';
import type { Bounds } from '../../shared/rules/bounds.ts';
import { hasSegments } from '../../shared/rules/rule.ts';
import { counted } from '../../shared/text/counted.ts';
import type { Window } from '../../shared/time/window.ts';
import { DAY_MS } from '../../shared/units/durations.ts';
import { spanWords } from '../../workbench/backtest/report-text.ts';
import { rateInterval } from '../../workbench/suggest/alert-rate.ts';
import type { Suggestion, Trial } from '../../workbench/suggest/suggest.ts';
import { tableText } from '../terminal/table.ts';
import { wrapped } from '../terminal/wrapping.ts';

const MONTH_DAYS = 30;

/** Most rows of the chart, and the length of its longest bar. */
const ROWS = 12;
const BAR = 24;

/** Fewer alerts say little about their rate. */
const FEW = 5;

/** Fewer windows are too little history. */
const FEW_WINDOWS = 20;

export interface SuggestContext {
  wished: number;
  span: Window;
  describe: string;
  hasLabels: boolean;
}

/** The suggestion in 80 columns. */
export function suggestLines(suggestion: Suggestion, context: SuggestContext): string[] {
  const { chosen, now, withMinimum } = suggestion;
  const { id } = chosen.rule;
  return [
    `${id} over ${spanWords(context.span)}`,
    `of ${context.describe}`,
    '',
    ...chartLines(suggestion, context).map((line) => `  ${line}`),
    '',
    chosen === now
      ? `The current bounds come closest to ${rateText(context.wished)} a month:`
      : `For ${rateText(context.wished)} a month, use:`,
    '',
    ...yamlLines(chosen).map((line) => `  ${line}`),
    ...(withMinimum ? ['', ...minimumLines(now, withMinimum)] : []),
    ...notesOn(suggestion, context).flatMap((note, i) => [
      ...(i === 0 ? [''] : []),
      ...wrapped(`note: ${note}`),
    ]),
  ];
}

/** Notes on the precision of the figures, one sentence each. */
export function notesOn(
  { trials, chosen }: Suggestion,
  { span, wished, hasLabels }: SuggestContext,
): string[] {
  const { alerts, alertsPerMonth, windows, evaluatedMs } = chosen.statistics;
  const days = Math.max(1, Math.round((evaluatedMs || span.endAt - span.startAt) / DAY_MS));
  const { low, high } = rateInterval(alerts, days / MONTH_DAYS);
  const [narrowest, widest] = [trials[0], trials.at(-1)];
  const isReached = Math.abs(alertsPerMonth - wished) <= Math.max(0.5, wished / 2);
  const tooMany = !isReached && alertsPerMonth > wished && chosen === widest;
  const tooFew = !isReached && alertsPerMonth < wished;
  return [
    ...(windows.evaluated < FEW_WINDOWS
      ? [`only ${counted(windows.evaluated, 'window')} could be evaluated`]
      : []),
    ...(daysOf(span) - days > 2
      ? [`only ${days} of ${counted(daysOf(span), 'day')} could be evaluated; rates are based on these`]
      : []),
    ...(alerts < FEW
      ? [
          `${counted(alerts, 'alert')} in ${days} days ${alerts === 1 ? 'is' : 'are'} too few for a precise rate: it is between ${rateText(low)} and ${rateText(high)} a month (95% confidence)`,
        ]
      : []),
    ...(tooMany ? ['even the widest bounds give more alerts: raise "minimum" or "confidence"'] : []),
    ...(tooFew && narrowest
      ? [
          `narrower bounds give at most ${rateText(Math.max(...trials.map(rateOf)))} a month: changes that may be chance do not fire (see "confidence")`,
        ]
      : []),
    ...missedNotes(trials, chosen),
    ...(hasLabels ? [] : ['without incidents.yaml it is not known which alerts were correct']),
    'past data is complete: it includes uploads that arrived late',
  ];
}

function missedNotes(trials: Trial[], chosen: Trial): string[] {
  const best = Math.max(0, ...trials.map(({ statistics }) => statistics.hits?.found ?? 0));
  const found = chosen.statistics.hits?.found ?? 0;
  const other = trials.findLast(({ statistics }) => statistics.hits?.found === best);
  if (found >= best || !other) return [];
  return [
    `${counted(best - found, 'labelled incident')} would be missed, which ${boundsBrief(other.rule.fire)} finds`,
  ];
}

function chartLines({ trials, chosen, now }: Suggestion, { hasLabels }: SuggestContext): string[] {
  const shown = thinned(trials, [chosen, now]);
  const most = Math.max(...shown.map(rateOf), Number.MIN_VALUE);
  const rows = shown.map((trial) => {
    const { hits } = trial.statistics;
    const marks = [...(trial === now ? ['now'] : []), ...(trial === chosen ? ['suggested'] : [])];
    return [
      boundsBrief(trial.rule.fire),
      rateText(rateOf(trial)),
      '#'.repeat(Math.round((rateOf(trial) / most) * BAR)),
      ...(hasLabels ? [hits ? `${hits.right} of ${trial.statistics.alerts}` : ''] : []),
      marks.join(', '),
    ];
  });
  const columns = [
    { title: 'fires at' },
    { title: 'a month', align: 'right' as const },
    { title: '' },
    ...(hasLabels ? [{ title: 'correct', align: 'right' as const }] : []),
    { title: '' },
  ];
  return tableText(columns, rows).split('\n');
}

/** Trials for the rows of the chart, including those in `kept`. */
function thinned(trials: Trial[], kept: Trial[]): Trial[] {
  const left = [...trials];
  while (left.length > ROWS) {
    const i = left.findIndex(
      (each, at) => !kept.includes(each) && rateOf(each) === rateOf(left[at - 1] ?? each),
    );
    const fallback = left.findIndex((each) => !kept.includes(each));
    left.splice(i >= 0 ? i : fallback, 1);
  }
  return left;
}

/** "-35%", "-40% / +80%", "-35% and -500". */
function boundsBrief(bounds: Bounds | undefined): string {
  const sides = (given: Bounds['change'], text: (limit: number) => string) =>
    given
      ? [
          [given.below, given.above]
            .flatMap((limit) => limit ?? [])
            .map(text)
            .join(' / '),
        ]
      : [];
  return [
    ...sides(bounds?.change, percentText),
    ...sides(bounds?.difference, signed),
    ...sides(bounds?.current, figure),
  ].join(' and ');
}

function signed(amount: number): string {
  return `${amount > 0 ? '+' : ''}${figure(amount)}`;
}

/** The lines to paste into the rule. */
export function yamlLines({ rule }: Trial): string[] {
  return [
    ...(rule.fire ? [`fire: ${yamlOf(rule.fire)}`] : []),
    ...(rule.recover ? [`recover: ${yamlOf(rule.recover)}`] : []),
  ];
}

function yamlOf({ change, difference, current }: Bounds): string {
  const percent = (ratio: number) => `${Number((ratio * 100).toPrecision(12))}%`;
  const kind = (name: string, given: Bounds['change'], text: (limit: number) => string) => {
    const sides = (['below', 'above'] as const).flatMap((side) => {
      const limit = given?.[side];
      return limit === undefined ? [] : [`${side}: ${text(limit)}`];
    });
    return sides.length > 0 ? [`${name}: { ${sides.join(', ')} }`] : [];
  };
  const kinds = [
    ...kind('change', change, percent),
    ...kind('difference', difference, String),
    ...kind('current', current, String),
  ];
  return `{ ${kinds.join(', ')} }`;
}

function minimumLines(now: Trial, { rule, statistics }: Trial): string[] {
  const what = hasSegments(rule) ? 'Small segments cause' : 'Small numbers cause';
  return [
    `${what} half of the ${counted(now.statistics.alerts, 'alert')} of the current bounds. With`,
    '',
    `  minimum: { baseline: ${rule.minimum.baseline} }`,
    '',
    `they give ${rateText(statistics.alertsPerMonth)} a month instead of ${rateText(rateOf(now))}.`,
  ];
}

function rateOf({ statistics }: Trial): number {
  return statistics.alertsPerMonth;
}

function rateText(rate: number): string {
  return rate >= 10 ? String(Math.round(rate)) : String(Number(rate.toFixed(1)));
}

function daysOf({ startAt, endAt }: Window): number {
  return Math.round((endAt - startAt) / DAY_MS);
}
