import type { Attribution, Driver } from '../statistics/attribution-driver.ts';
import { DRIVER_ATTRIBUTES } from './driver-questions.ts';
import type { Measured } from './driver-tables.ts';
import { figure } from './wording.ts';

/** The figures of the two windows that are held against each other, as they were read. */
export interface Movement {
  current: number;
  baseline: number;
}

/** What to tell of an attribution, most important first; each sentence stands alone. */
export function sentencesFor(
  { drivers, opposed }: Attribution,
  measured: Measured,
  moved: Movement,
): string[] {
  const movement = moved.current < moved.baseline ? 'fall' : 'rise';
  const nouns = nounsFor(measured);
  const sentences = drivers.map((driver) => {
    const who = capitalised(nameOf(driver.values));
    return `${who} explains ${partText(driver.shareOfChange)} of the ${movement}${because(driver, nouns)}.`;
  });
  if (drivers.length > 1 && drivers.every(({ kind }) => kind === 'unique'))
    sentences.push(
      `${capitalised(nouns.whole)} count for every value, so these shares may exceed 100 % together.`,
    );
  return opposed ? [...sentences, oppositionText(opposed, nouns)] : sentences;
}

/** What the figure is called, and what it is a figure of. */
interface Nouns {
  unit: string;
  whole: string;
}

function nounsFor({ metric, series }: Measured): Nouns {
  switch (metric.kind) {
    case 'count':
      return { unit: metric.unit, whole: metric.unit };
    case 'mean':
      return { unit: metric.unit, whole: `${metric.endpoint}s` };
    case 'ratio':
      return {
        unit: `${series.eventName} per ${series.per}`,
        whole: `${series.per} ${metric.counted.unit}`,
      };
  }
}

function because({ kind, current, baseline, shareOfBase, shareNow }: Driver, { unit, whole }: Nouns): string {
  switch (kind) {
    case 'count':
      return baseline === 0
        ? `; it had no ${whole} before`
        : `; it was ${percent(shareOfBase)} of the ${whole}`;
    case 'unique':
      return baseline === 0
        ? `; no ${whole} were seen with it before`
        : `; ${percent(shareOfBase)} of the ${whole} were seen with it`;
    case 'within':
      return `: from ${mean(baseline)} to ${mean(current)} ${unit}; it was ${percent(shareOfBase)} of the ${whole}`;
    case 'mix':
      return ` by its weight: ${percent(shareOfBase)} of the ${whole} before, ${percent(shareNow)} now, at ${mean(current ?? baseline)} ${unit}`;
  }
}

function oppositionText({ dimension, within, mix }: Opposed, { unit }: Nouns): string {
  const [inside, whole] = [within, within + mix].map((moved) => (moved < 0 ? 'a fall' : 'a rise'));
  const by = wordFor(dimension);
  const own = `Within each ${by}, taken together, there was ${inside} of ${mean(Math.abs(within))} ${unit}`;
  return inside === whole
    ? `${own}; the mix of ${by} values took ${mean(Math.abs(mix))} back.`
    : `${own}; ${whole} came of it only because the mix of ${by} values changed (Simpson's paradox).`;
}

type Opposed = NonNullable<Attribution['opposed']>;

/** 0.0312 as it is, where `figure` would say 0.03. */
function mean(value: number | null): string {
  const amount = value ?? 0;
  return Math.abs(amount) < 1
    ? amount.toLocaleString('en-US', { maximumSignificantDigits: 3 })
    : figure(amount);
}

/** "platform android, version 5.2.0" */
function nameOf(values: Driver['values']): string {
  return Object.entries(values)
    .map(([dimension, value]) => `${wordFor(dimension)} ${value || '(none)'}`)
    .join(', ');
}

function wordFor(dimension: string): string {
  return new Map<string, string>(Object.entries(DRIVER_ATTRIBUTES)).get(dimension) ?? dimension;
}

function partText(share: number): string {
  return share >= 0.995 ? 'all' : percent(share);
}

function percent(share: number): string {
  return share > 0 && share < 0.01 ? 'under 1 %' : `${Math.round(share * 100)} %`;
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
