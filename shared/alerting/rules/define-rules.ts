import type * as z from 'zod';
import type { AttributeName } from '../../analytics/attributes.ts';
import type { Filter } from '../../analytics/filters.ts';
import type { ruleSetEntrySchema } from './rule.ts';

/**
 * What a file `*.rules.ts` exports by default, written so that editors complete and check it: `defaults` hold for every
 * rule that does not say otherwise. What a type cannot tell, such as bounds that contradict each other, `check` does.
 */
export function defineRules<Defaults extends RuleDefaults = Nothing>(file: {
  defaults?: Defaults & OnlyKeysOfRules<Defaults>;
  rules: RuleIn<Defaults>[];
}): typeof file {
  return file;
}

/** A rule with all that it needs; `shared/alerting/rules/rule.ts` has the schema that says so. */
export type RuleInput = Omit<Written, 'every' | 'filters' | 'group_by'> & {
  every: CadenceWords;
  filters?: Filter[];
  group_by?: AttributeName;
};

type Written = z.input<typeof ruleSetEntrySchema>;
type RuleDefaults = Partial<Omit<RuleInput, 'id'>>;
type Nothing = Record<never, never>;

/** A rule beside defaults: it may leave out what they say, and undo by `null` what it can do without. */
type RuleIn<Defaults> = Omit<RuleInput, keyof Defaults> & {
  [Key in Extract<keyof Defaults, keyof RuleInput>]?: RuleInput[Key] | Undone<RuleInput[Key]>;
};

type Undone<Value> = undefined extends Value ? null : never;

type OnlyKeysOfRules<Defaults> = { [Key in Exclude<keyof Defaults, keyof RuleDefaults>]: never };

type Weekday = 'monday' | 'tuesday' | 'wednesday' | 'thursday' | 'friday' | 'saturday' | 'sunday';
type Time = `${number}:${number}`;

/** The forms of `shared/alerting/time/parse-cadence.ts`; which minutes and hours there are is for `check` to say. */
export type CadenceWords =
  | 'hour'
  | `hour at :${number}`
  | `${5 | 10 | 15 | 20 | 30} minutes`
  | `${'day' | 'weekday' | 'weekend' | 'month' | Weekday} at ${Time}`
  | `${Weekday}${' and ' | ', '}${string} at ${Time}`
  | `cron ${string}`;
