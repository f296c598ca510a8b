import type * as z from 'zod';
import type { AttributeName } from '../contract/attributes.ts';
import type { Filter } from '../contract/filters.ts';
import type { ruleSetEntrySchema } from './rule.ts';

/**
 * The default export of a file `*.rules.ts`, typed so that editors complete and check it. `defaults` apply to every
 * rule that does not override them. `check` finds what types cannot express, such as contradictory bounds.
 */
export function defineRules<Defaults extends RuleDefaults = Nothing>(file: {
  defaults?: Defaults & OnlyKeysOfRules<Defaults>;
  rules: RuleIn<Defaults>[];
}): typeof file {
  return file;
}

/** A complete rule. Its schema is in `shared/rules/rule.ts`. */
export type RuleInput = Omit<Written, 'every' | 'filters' | 'group_by'> & {
  every: CadenceWords;
  filters?: Filter[];
  group_by?: Group | [Group, Group];
};

type Group = AttributeName | { attribute: AttributeName; property_name?: string };

type Written = z.input<typeof ruleSetEntrySchema>;
type RuleDefaults = Partial<Omit<RuleInput, 'id'>>;
type Nothing = Record<never, never>;

/** A rule in a file with defaults. It may omit keys that have a default, and set optional ones to `null` to unset them. */
type RuleIn<Defaults> = Omit<RuleInput, keyof Defaults> & {
  [Key in Extract<keyof Defaults, keyof RuleInput>]?: RuleInput[Key] | Undone<RuleInput[Key]>;
};

type Undone<Value> = undefined extends Value ? null : never;

type OnlyKeysOfRules<Defaults> = { [Key in Exclude<keyof Defaults, keyof RuleDefaults>]: never };

type Weekday = 'monday' | 'tuesday' | 'wednesday' | 'thursday' | 'friday' | 'saturday' | 'sunday';
type Time = `${number}:${number}`;

/** The forms of `shared/time/parse-cadence.ts`. `check` validates minutes and hours. */
export type CadenceWords =
  | 'hour'
  | `hour at :${number}`
  | `${5 | 10 | 15 | 20 | 30} minutes`
  | `${'day' | 'weekday' | 'weekend' | 'month' | Weekday} at ${Time}`
  | `${Weekday}${' and ' | ', '}${string} at ${Time}`
  | `cron ${string}`;
