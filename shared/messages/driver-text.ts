import type { DriverAttribute } from '../evaluation/driver-questions.ts';
import { type Measured, measuredOf } from '../evaluation/driver-tables.ts';
import type { Drivers } from '../evaluation/drivers.ts';
import { rowMetricOf } from '../rules/metric.ts';
import type { FigureRule } from '../rules/rule.ts';
import type { Attribution, Driver } from '../statistics/attribution-driver.ts';
import { capitalised } from '../text/listed.ts';
import { quoted } from '../text/quoted.ts';
import { figure } from './figure-text.ts';

const NAMES: Record<DriverAttribute, string> = {
  device_platform: 'platform',
  app_version: 'app version',
  device_country: 'country',
  device_model: 'model',
  event_screen_name: 'screen',
};

/** The drivers of a breach, most important first; each sentence stands alone. */
export function driverSentences(
  { drivers, opposed, compared, moved }: Drivers,
  about: { rule: FigureRule; segment: string | null },
): string[] {
  if (compared.length > 0) return [nothingText(compared)];
  const movement = moved.current < moved.baseline ? 'fall' : 'rise';
  const nouns = nounsFor(measuredOf(about));
  const sentences = drivers.map((driver) => {
    const who = capitalised(nameOf(driver.values));
    return `${who} explains ${driver.shareOfChange >= 0.995 ? 'all' : percent(driver.shareOfChange)} of the ${movement}${because(driver, nouns)}.`;
  });
  if (drivers.length > 1 && drivers.every(({ kind }) => kind === 'unique'))
    sentences.push(
      `The same ${nouns.whole} can appear in several of these, so the shares can add up to more than 100%.`,
    );
  const isLarge = opposed && Math.abs(opposed.mix) >= LEAST_OPPOSED * Math.abs(opposed.within);
  return isLarge ? [...sentences, oppositionText(opposed, nouns)] : sentences;
}

/** Least effect of the mix that a message names, as a share of the change within the values. */
const LEAST_OPPOSED = 0.2;

/** "No platform, app version or country stands out against the others." */
function nothingText(attributes: readonly DriverAttribute[]): string {
  const words = attributes.map(wordFor);
  const last = words.at(-1) ?? '';
  const named = words.length > 1 ? `${words.slice(0, -1).join(', ')} or ${last}` : last;
  return `No ${named} stands out against the others.`;
}

/** Formats a value (with and without unit) and a difference, and names the value and the whole of the shares. */
interface Nouns {
  own: string;
  bare: (value: number) => string;
  amount: (value: number) => string;
  difference: (value: number) => string;
  whole: string;
}

function nounsFor({ metric, series }: Measured): Nouns {
  const inPercent = (value: number) => `${mean(value * 100)}%`;
  const inUnits = (value: number) => `${mean(value)} ${metric.unit}`;
  if (metric.kind === 'ratio')
    return {
      own: 'ratio',
      bare: inPercent,
      amount: inPercent,
      difference: (value) => `${mean(value * 100)} percentage points`,
      whole: `${quoted(series.per ?? '')} ${rowMetricOf(metric).unit}`,
    };
  const own = metric.kind === 'count' || metric.kind === 'mean' ? metric.kind : 'figure';
  const whole = metric.kind === 'mean' ? `${metric.endpoint}s` : metric.unit;
  return { own, bare: mean, amount: inUnits, difference: inUnits, whole };
}

function because(
  { kind, current, baseline, shareOfBase, shareNow }: Driver,
  { own, bare, amount, whole }: Nouns,
): string {
  switch (kind) {
    case 'count':
      return baseline === 0
        ? `; it had no ${whole} before`
        : `; before, it had ${percent(shareOfBase)} of the ${whole}`;
    case 'unique':
      return baseline === 0
        ? `; no ${whole} were seen with it before`
        : `; before, ${percent(shareOfBase)} of the ${whole} were seen with it`;
    case 'within': {
      const moved = (current ?? 0) < (baseline ?? 0) ? 'fell' : 'rose';
      return `. Its ${own} ${moved} from ${bare(baseline ?? 0)} to ${amount(current ?? 0)}; it had ${percent(shareOfBase)} of the ${whole}`;
    }
    case 'mix':
      return ` by its weight: ${percent(shareOfBase)} of the ${whole} before, ${percent(shareNow)} now, at ${amount(current ?? baseline ?? 0)}`;
  }
}

/** The change within the values and the change caused by their mix. The two can have opposite signs. */
function oppositionText({ dimension, within, mix }: Opposed, { difference, whole }: Nouns): string {
  const by = pluralOf(wordFor(dimension));
  const [inside, overall] = [within, within + mix].map((moved) => (moved < 0 ? 'fell' : 'rose'));
  const own = `Within the ${by}, taken together, it ${inside} by ${difference(Math.abs(within))}`;
  const side = mix < 0 ? 'low' : 'high';
  return inside === overall
    ? `${own}; ${difference(Math.abs(mix))} of that were offset, as more of the ${whole} came from ${by} where it is ${side}.`
    : `${own}. Overall it ${overall}, only because more of the ${whole} came from ${by} where it is ${side}.`;
}

function pluralOf(word: string): string {
  return word.endsWith('y') ? `${word.slice(0, -1)}ies` : `${word}s`;
}

type Opposed = NonNullable<Attribution['opposed']>;

/** Keeps three significant digits below 1: 0.0312, where `figure` gives 0.03. */
function mean(value: number): string {
  return Math.abs(value) < 1 ? value.toLocaleString('en-US', { maximumSignificantDigits: 3 }) : figure(value);
}

/** "platform android with app version 5.2.0" */
function nameOf(values: Driver['values']): string {
  const [first, ...others] = Object.entries(values).map(
    ([dimension, value]) => `${wordFor(dimension)} ${value === '' ? '(none)' : quoted(value)}`,
  );
  return [first, others.join(' and ')].filter(Boolean).join(' with ');
}

function wordFor(dimension: string): string {
  return new Map<string, string>(Object.entries(NAMES)).get(dimension) ?? dimension;
}

function percent(share: number): string {
  return share > 0 && share < 0.01 ? 'under 1%' : `${Math.round(share * 100)}%`;
}
