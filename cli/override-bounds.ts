import { InvalidArgumentError, Option } from 'commander';
import * as z from 'zod';
import { type Bounds, boundsSchema } from '../shared/alerting/bounds.ts';
import { didYouMean } from '../shared/alerting/nearest-words.ts';
import type { BoundsInstead } from '../shared/alerting/overrides.ts';

const BOUNDS = ['change', 'difference', 'current'].flatMap((kind) => [`${kind}.above`, `${kind}.below`]);
const MINIMUMS = ['current', 'baseline', 'difference'] as const;

const amount = z.coerce.number();

/** `--fire change.below=-60%`: one bound each time. */
export function boundsOption(name: 'fire' | 'recover', description: string): Option {
  return new Option(`--${name} <bound=value>`, description).argParser((text, before: Bounds = {}) =>
    withBound(text, before),
  );
}

function withBound(text: string, before: Bounds): Bounds {
  const [name, value] = partsOf(text, BOUNDS, 'change.below=-60%');
  const [kind = '', side = ''] = name.split('.');
  const written = kind === 'change' ? value : numberIn(value);
  const parsed = boundsSchema.safeParse({ [kind]: { [side]: written } });
  if (!parsed.success) throw new InvalidArgumentError('A change is a percentage with its sign: 50% or -60%.');
  const { change, difference, current } = parsed.data;
  return {
    ...before,
    ...(change && { change: { ...before.change, ...change } }),
    ...(difference && { difference: { ...before.difference, ...difference } }),
    ...(current && { current: { ...before.current, ...current } }),
  };
}

/** `--minimum current=200`: one of them each time. */
export function minimumOption(description: string): Option {
  return new Option('--minimum <name=number>', description).argParser(
    (text, before: BoundsInstead['minimum'] = {}) => {
      const [name, value] = partsOf(text, MINIMUMS, 'current=200');
      const least = numberIn(value);
      if (least < 0) throw new InvalidArgumentError('A minimum is 0 or more.');
      return { ...before, [name]: least };
    },
  );
}

function partsOf<Name extends string>(
  text: string,
  names: readonly Name[],
  example: string,
): [name: Name, value: string] {
  const [, written = '', value = ''] = /^([^=]*)=(.+)$/.exec(text) ?? [];
  const name = names.find((each) => each === written);
  if (name !== undefined) return [name, value];
  const meant = written === '' ? '' : `${didYouMean(written, names).replace(/^; d/, ' D')}`;
  throw new InvalidArgumentError(`Write one of ${names.join(', ')} and its value: ${example}.${meant}`);
}

function numberIn(text: string): number {
  const parsed = amount.safeParse(text);
  if (!parsed.success || text.trim() === '' || !Number.isFinite(parsed.data))
    throw new InvalidArgumentError('Its value is a number, such as 200 or -12.5.');
  return parsed.data;
}
