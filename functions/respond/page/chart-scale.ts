/** Round values from 0 to at least `most`, evenly apart: about five. */
export function ticksTo(most: number): number[] {
  const rough = (most > 0 ? most : 1) / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 2.5, 5].find((factor) => factor * power >= rough) ?? 10);
  const count = Math.max(1, Math.ceil((most > 0 ? most : 1) / step));
  return Array.from({ length: count + 1 }, (_, i) => Number((i * step).toPrecision(12)));
}

/** At most `count` of the items, evenly apart and off the edges. */
export function spread<T>(items: T[], count: number): T[] {
  const stride = Math.ceil(items.length / count);
  return items.filter((_, i) => i % stride === Math.floor(Math.min(stride, items.length) / 2));
}

/** Maps `[from, to]` on `[low, high]`; an empty span on `low`. */
export function scale([from, to]: [number, number], [low, high]: [number, number]) {
  return (value: number): number =>
    Math.round((low + (to === from ? 0 : ((value - from) / (to - from)) * (high - low))) * 10) / 10;
}
