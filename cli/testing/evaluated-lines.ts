import type { Evaluation } from '../../shared/evaluation/evaluation.ts';
import { momentsIn } from '../../shared/messages/figure-text.ts';
import { gateText } from '../../shared/messages/gate-text.ts';
import { reasonText } from '../../shared/messages/reason-text.ts';
import { verdictText } from '../../shared/messages/verdict-text.ts';
import type { ZoneClock } from '../../shared/time/zone-clock.ts';
import type { EvaluatedWindow } from '../../workbench/series/series-evaluator.ts';

const COLUMNS = 80;
const WIDTHS = [16, 7, 8, 16, 5] as const;

export const HEADING = `${row(['window', 'value', 'expected', 'interval', 'score'])} verdict      state`;

/** The baseline of a window, and its distance from it; `null` where unknown. */
interface Figures {
  expected: number | null;
  low: number | null;
  high: number | null;
  score: number | null;
  limit: number | null;
}

function figuresOf({ surprise, significance, current, baseline, difference }: Evaluation): Figures {
  const isDiffering = current.value !== null && difference !== null;
  return {
    expected: surprise?.expected ?? (isDiffering ? Number(current.value) - difference : baseline.value),
    low: surprise?.low ?? null,
    high: surprise?.high ?? null,
    score: surprise?.z ?? significance?.z ?? null,
    limit: surprise?.limit ?? null,
  };
}

/** One window as a JSON line; `gates`: with all that is known of it. Times are in the zone, with offset. */
export function jsonLine(
  evaluated: EvaluatedWindow,
  clock: ZoneClock,
  { gates }: { gates: boolean },
): string {
  return JSON.stringify(gates ? wholeLine(evaluated, clock) : briefLine(evaluated, clock));
}

function briefLine({ evaluation, news }: EvaluatedWindow, clock: ZoneClock) {
  const { expected, low, high } = figuresOf(evaluation);
  const [change] = news;
  return {
    ...readingOf(evaluation, clock),
    ...{ expected: rounded(expected), low: rounded(low), high: rounded(high) },
    verdict: evaluation.verdict,
    ...(change && { transition: change.transition }),
    code: codeOf(evaluation),
  };
}

function wholeLine({ evaluation, state, news }: EvaluatedWindow, clock: ZoneClock) {
  const at = momentsIn(clock.zone);
  return {
    ...readingOf(evaluation, clock),
    ...figuresOf(evaluation),
    verdict: evaluation.verdict,
    state,
    transition: news[0]?.transition ?? null,
    code: codeOf(evaluation),
    gates: evaluation.gates.map((gate) => ({ ...gate, text: gateText(gate, at) })),
    reason: verdictText(evaluation, at),
  };
}

function readingOf({ window, current }: Evaluation, clock: ZoneClock) {
  return { start: isoOf(window.startAt, clock), end: isoOf(window.endAt, clock), value: current.value };
}

/** The reason of the verdict; if a gate decided, how it went. */
function codeOf({ reason, gates }: Evaluation): string {
  const decisive = reason.code === 'gate' && gates.find(({ gate }) => gate === reason.gate);
  return decisive ? decisive.code : reason.code;
}

/** To six significant digits, but not before the decimal point: a baseline may be a count. */
function rounded(value: number | null): number | null {
  if (value === null || Number.isInteger(value)) return value;
  return Math.abs(value) < 100_000 ? Number(value.toPrecision(6)) : Math.round(value);
}

/** One window as a table row, with details below and its gates if requested. */
export function tableLines(
  evaluated: EvaluatedWindow,
  clock: ZoneClock,
  { gates }: { gates: boolean },
): string[] {
  const { evaluation, state, news } = evaluated;
  const { window, current, verdict } = evaluation;
  const at = momentsIn(clock.zone);
  const { expected, low, high, score } = figuresOf(evaluation);
  const interval = low === null || high === null ? '' : `${short(low)} to ${short(high)}`;
  const cells = [minuteOf(window.startAt, clock), short(current.value), short(expected), interval];
  return [
    `${row([...cells, score === null ? '' : score.toFixed(Math.abs(score) < 99.95 ? 1 : 0)])} ${verdict.padEnd(12)} ${state}`,
    ...news.flatMap(({ transition, reason }) =>
      indented(
        `${transition}: ${reasonText(reason, { at, window: 'window', verdict: verdictText(evaluation, at) })}`,
      ),
    ),
    ...(gates ? evaluation.gates : []).flatMap((gate) =>
      indented(`${gate.passed ? 'pass' : 'fail'} ${gate.gate}: ${gateText(gate, at)}`),
    ),
  ];
}

function row(cells: string[]): string {
  const [window = '', ...figures] = cells;
  return [window.padEnd(WIDTHS[0]), ...figures.map((each, i) => each.padStart(WIDTHS[i + 1] ?? 0))].join(' ');
}

const SMALL = new Intl.NumberFormat('en-US', { maximumFractionDigits: 2 });
const WHOLE = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });
const LARGE = new Intl.NumberFormat('en-US', { notation: 'compact', maximumFractionDigits: 1 });

/** A figure in seven characters. */
function short(value: number | null): string {
  if (value === null) return '';
  return (value < 1_000 ? SMALL : value < 99_999.5 ? WHOLE : LARGE).format(value);
}

/** Text in 80 columns, indented by two, or by four from the second line on. */
function indented(text: string): string[] {
  const lines: string[] = [];
  let line = ' ';
  for (const word of text.split(' ')) {
    if (line.length + 1 + word.length > COLUMNS) {
      lines.push(line);
      line = '   ';
    }
    line += ` ${word}`;
  }
  return [...lines, line];
}

/** "2026-03-02 14:00". */
export function minuteOf(at: number, clock: ZoneClock): string {
  return new Date(clock.localOf(at)).toISOString().slice(0, 16).replace('T', ' ');
}

/** "2026-03-02T14:00:00+01:00". */
function isoOf(at: number, clock: ZoneClock): string {
  const { offset } = clock.stretchAt(at);
  const minutes = Math.abs(Math.trunc(offset / 60_000));
  const two = (number: number) => `${number}`.padStart(2, '0');
  const suffix = `${offset < 0 ? '-' : '+'}${two(Math.trunc(minutes / 60))}:${two(minutes % 60)}`;
  return new Date(at + offset).toISOString().slice(0, 19) + suffix;
}
