import type { Bounds } from './rule.ts';

export function boundsText(bounds: Bounds): string {
  const side = (
    name: string,
    text: (value: number) => string,
    given?: { above?: number | undefined; below?: number | undefined },
  ) =>
    [
      ...(given?.above === undefined ? [] : [`${name} above ${text(given.above)}`]),
      ...(given?.below === undefined ? [] : [`${name} below ${text(given.below)}`]),
    ].join(' or ');
  return [
    side('change', percentText, bounds.change),
    side('difference', figure, bounds.difference),
    side('current', figure, bounds.current),
  ]
    .filter(Boolean)
    .join(' and ');
}

/** 1234.5 as "1,234.5": at most two decimals, thousands marked. */
export function figure(value: number): string {
  return value.toLocaleString('en-US', { maximumFractionDigits: 2 });
}

/** -0.4123 as "-41.2 %". */
export function percentText(ratio: number): string {
  const text = (ratio * 100).toLocaleString('en-US', { maximumFractionDigits: 1 });
  return `${ratio > 0 ? '+' : ''}${text} %`;
}

export function pText(p: number): string {
  return p < 0.0001 ? 'under 0.0001' : p.toFixed(4);
}
