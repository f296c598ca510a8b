/** Round, evenly spaced values in about five steps. The first is at most `least`, the last at least `most`. */
export function valueTicks(least: number, most: number): number[] {
  const top = most > least ? most : least + 1;
  const rough = (top - least) / 5;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 2.5, 5].find((factor) => factor * power >= rough * (1 - 1e-9)) ?? 10);
  const from = Math.floor(least / step + 1e-9);
  const to = Math.max(from + 1, Math.ceil(top / step - 1e-9));
  return Array.from({ length: to - from + 1 }, (_, i) => Number(((from + i) * step).toPrecision(12)));
}

/** Distinct labels of the ticks: "0", "5K", "10K", or percentages for shares. */
export function valueTickTexts(ticks: number[], isShare: boolean): string[] {
  const shown = ticks.map((tick) => (isShare ? tick * 100 : tick));
  const [least = 0, next = 1, most = next] = [shown[0], shown[1], shown.at(-1)];
  const isLarge = most >= 10_000;
  const unit = isLarge ? 1000 ** Math.floor(Math.log10(most) / 3) : 1;
  const digits = 1 - Math.floor(Math.log10((next - least) / unit) + 1e-9);
  const texts = new Intl.NumberFormat('en-US', {
    notation: isLarge ? 'compact' : 'standard',
    maximumFractionDigits: Math.min(Math.max(0, digits), 20),
  });
  return shown.map((tick) => `${texts.format(tick)}${isShare ? '%' : ''}`);
}
