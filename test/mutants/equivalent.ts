/** A mutant that no test can detect, and why. White space in `from` and `to` is collapsed. */
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
    why: 'Waiting for a finished change takes no time. The map exists for one sweep.',
  },
  {
    file: 'shared/readings/series.ts',
    from: 'return canonical(a) < canonical(b) ? -1 : 1;',
    to: 'return canonical(a) <= canonical(b) ? -1 : 1;',
    why: 'Values with the same canonical text are equal in either order.',
  },
  {
    file: 'shared/messages/movement-text.ts',
    from: 'return figure(times < 10 ? Math.round(times * 10) / 10 : Math.round(times));',
    to: 'return figure(times <= 10 ? Math.round(times * 10) / 10 : Math.round(times));',
    why: 'Ten times rounds to 10 either way.',
  },
  {
    file: 'shared/statistics/slot-history.ts',
    from: 'for (end--; at < end; at++) sorted[at] = sorted[at + 1] ?? 0;',
    to: 'for (end--; at <= end; at++) sorted[at] = sorted[at + 1] ?? 0;',
    why: 'The extra write is overwritten next, by the new number or a larger one.',
  },
  {
    file: 'shared/statistics/seasonal-limit.ts',
    from: 'const side = z < 0 ? this.#falls : this.#rises;',
    to: 'const side = z <= 0 ? this.#falls : this.#rises;',
    why: 'Each side remembers the same days, and none is below 0.',
  },
  {
    file: 'shared/responding/give-answer.ts',
    from: 'if (unreadable[0]) throw new UpstreamError(unreadable[0].reason, { retryable: false });',
    to: 'if (unreadable[0]) throw new UpstreamError(unreadable[0].reason, { retryable: true });',
    why: 'Nobody repeats the loading of an alert that a person answers.',
  },
  {
    file: 'functions/data-access/engines/compiler.ts',
    from: 'return value < 0 ? `($' + '{digits})` : digits;',
    to: 'return value <= 0 ? `($' + '{digits})` : digits;',
    why: 'A 0 in parentheses is 0.',
  },
  {
    file: 'shared/evaluation/baseline.ts',
    from: "if (anchor && window.endAt >= anchor.windowEndAt) return { kind: 'after the fire' };",
    to: "if (anchor || window.endAt >= anchor.windowEndAt) return { kind: 'after the fire' };",
    why: 'Only windows that a baseline skips are asked for the reason, and this is the last one.',
  },
  {
    file: 'shared/planning/call-cost.ts',
    from: "const isCompared = rules.map(seriesOf).every(({ endpoint, funnel }) => endpoint !== 'user' && !funnel);",
    to: "const isCompared = rules.map(seriesOf).some(({ endpoint, funnel }) => endpoint !== 'user' && !funnel);",
    why: 'The rules of a family use one endpoint, and one funnel or none.',
  },
];
