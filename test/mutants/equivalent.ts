/** A mutant that nobody could notice, and why: its file, its lines and what they become, white space collapsed. */
export interface Equivalent {
  file: string;
  from: string;
  to: string;
  why: string;
}

export const EQUIVALENT: Equivalent[] = [
  {
    file: 'functions/notify/loaded-alerts.ts',
    from: 'if (this.#last.get(name) === done) this.#last.delete(name);',
    to: 'if (this.#last.get(name) === done) ;',
    why: 'A change that is over is waited for at once. The map lives as long as one sweep.',
  },
  {
    file: 'shared/alerting/readings/cached-pairs.ts',
    from: 'for (const minute of this.#made.keys()) if (minute < minuteOf(endAt)) this.#made.delete(minute);',
    to: 'for (const minute of this.#made.keys()) if (minute >= minuteOf(endAt)) this.#made.delete(minute);',
    why: 'Which pairs are kept changes the time that the next run takes: a pair that is gone is made again from the same readings.',
  },
  {
    file: 'shared/alerting/readings/series.ts',
    from: 'return canonical(a) < canonical(b) ? -1 : 1;',
    to: 'return canonical(a) <= canonical(b) ? -1 : 1;',
    why: 'What has the same canonical text is the same text in either order.',
  },
  {
    file: 'shared/alerting/messages/movement-text.ts',
    from: 'const rounded = figure(times < 10 ? Math.round(times * 10) / 10 : Math.round(times));',
    to: 'const rounded = figure(times <= 10 ? Math.round(times * 10) / 10 : Math.round(times));',
    why: 'Ten times rounds to 10 either way.',
  },
  {
    file: 'shared/statistics/slot-history.ts',
    from: 'for (end--; at < end; at++) sorted[at] = sorted[at + 1] ?? 0;',
    to: 'for (end--; at <= end; at++) sorted[at] = sorted[at + 1] ?? 0;',
    why: 'The place that is written once more is the one that the new number or a larger one is written to next.',
  },
  {
    file: 'shared/alerting/planning/history-cost.ts',
    from: "const isCompared = rows === 1 && rules.every((rule) => seriesOf(rule).endpoint !== 'user');",
    to: "const isCompared = rows === 1 && rules.some(rule => seriesOf(rule).endpoint !== 'user');",
    why: 'The rules of a family ask one endpoint.',
  },
  {
    file: 'shared/alerting/lint/reach.ts',
    from: 'lines.slice(i + 1).flatMap((b) => {',
    to: 'lines.slice(i - 1).flatMap((b) => {',
    why: 'Each two lines are still looked at, some in both orders, and a line does not cross itself.',
  },
  {
    file: 'shared/alerting/evaluation/past-pairs.ts',
    from: 'if (oldest) kept?.trim(oldest, 2 * windows.length);',
    to: 'if (oldest) kept?.trim(oldest, 2 / windows.length);',
    why: 'Only pairs from before the oldest window are let go of, sooner: no run asks for them again.',
  },
];
