/** Round values, evenly apart, about five steps of them: the first at most `least`, the last at least `most`. */
export function valueTicks(least: number, most: number): number[] {
  const span = most > least ? most - least : Math.abs(most) || 1;
  const rough = span / 5;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 2.5, 5].find((factor) => factor * power >= rough * (1 - 1e-9)) ?? 10);
  const from = Math.floor(least / step + 1e-9);
  const to = Math.max(from + 1, Math.ceil(most / step - 1e-9));
  return Array.from({ length: to - from + 1 }, (_, i) => Number(((from + i) * step).toPrecision(12)));
}

/** Ticks as people read them, all with as many decimals: "0", "5K", "10K"; parts of a whole as percentages. */
export function valueTickTexts(ticks: number[], isShare: boolean): string[] {
  const shown = ticks.map((tick) => (isShare ? tick * 100 : tick));
  const step = (shown[1] ?? 1) - (shown[0] ?? 0);
  const isLarge = (shown.at(-1) ?? 0) >= 10_000;
  const texts = new Intl.NumberFormat('en-US', {
    ...(isLarge ? { notation: 'compact' as const } : {}),
    maximumFractionDigits: isLarge ? 2 : Math.min(20, Math.max(0, -Math.floor(Math.log10(step) + 1e-9) + 1)),
  });
  return shown.map((tick) => `${texts.format(tick)}${isShare ? ' %' : ''}`);
}
