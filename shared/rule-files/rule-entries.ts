import { groupName, groupText } from '../rules/group-by.ts';
import {
  buildRule,
  type CompositeRule,
  type Rule,
  ruleFileSchema,
  ruleSetEntrySchema,
} from '../rules/rule.ts';
import { didYouMean } from '../text/nearest-words.ts';
import { type Holidays, holidayFault } from '../time/holiday-calendar.ts';
import type { Problem } from './file-problems.ts';
import { check } from './rule-faults.ts';
import { type Fault, type Path, problemsOfEntry, type RuleSource } from './rule-source.ts';

/** One entry of a file. It has the id even if the rest is wrong, so that all repeated ids are found. */
export interface WrittenRule {
  id: unknown;
  rule: Rule | undefined;
  problemAt: RuleSource['problemAt'];
  /** The place where the entry starts. */
  begins: Pick<Problem, 'file' | 'line'>;
}

/** The rules of one file, and all of their problems. */
export function readEntries(source: RuleSource): { entries: WrittenRule[]; problems: Problem[] } {
  const shape = shapeProblem(source);
  if (shape !== undefined) return { entries: [], problems: [shape] };
  const file = check(ruleFileSchema, source.value);
  if (file.kind === 'faults')
    return { entries: [], problems: file.faults.map((fault) => source.problemAt(fault)) };

  const { defaults = {}, rules } = file.value;
  const problems: Problem[] = [];
  if (Object.hasOwn(defaults, 'id')) {
    const message = 'each rule needs its own id; remove it here';
    problems.push(source.problemAt({ path: ['defaults', 'id'], part: 'key', message }));
  }
  const entries = rules.map((own, i): WrittenRule => {
    const checked = withHolidays(check(ruleSetEntrySchema, withDefaults(own, defaults)));
    const problemAt = problemsOfEntry(source, { list: 'rules', i, own, defaults });
    if (checked.kind === 'faults') problems.push(...checked.faults.map(problemAt));
    return {
      id: own.id,
      rule: checked.kind === 'valid' ? buildRule(checked.value) : undefined,
      problemAt,
      begins: source.problemAt({ path: ['rules', i], message: '' }),
    };
  });
  return { entries, problems };
}

/** Why the file does not contain rules. */
function shapeProblem({ value, problemAt }: RuleSource): Problem | undefined {
  if (Array.isArray(value))
    return problemAt({ path: [], message: 'is a list; write it below the key "rules:"' });
  if (value !== null) return undefined;
  const message = 'has no rules; write "rules:", and below it a list of rules that each start with "- id: …"';
  return problemAt({ path: [], message });
}

/** A rule with the defaults of its file. `null`, or `anomaly: false`, unsets a default. */
function withDefaults(own: Given, defaults: Given): Given {
  const isUndone = (key: string, value: unknown) =>
    Object.hasOwn(defaults, key) && (value === null || (key === 'anomaly' && value === false));
  const { sensitivity, ...others } = Object.fromEntries(
    Object.entries({ ...defaults, ...own }).filter(([key, value]) => !isUndone(key, value)),
  );
  // As a default, it is for the seasonal rules of the file.
  const isFit = Object.hasOwn(own, 'sensitivity') || isSeasonal(others);
  return sensitivity !== undefined && isFit ? { ...others, sensitivity } : others;
}

function isSeasonal({ anomaly, compare }: Given): boolean {
  return anomaly !== undefined || (compare instanceof Object && 'to' in compare && compare.to === 'seasonal');
}

type Given = Record<string, unknown>;

/** Checks countries and regions here and not in the schema, as every Lambda function would load the calendar. */
function withHolidays(checked: Checked): Checked {
  const holidays = checked.kind === 'valid' ? checked.value.holidays : undefined;
  const faults = holidayFaults(holidays, ['holidays']);
  return faults.length > 0 ? { kind: 'faults', faults } : checked;
}

export function holidayFaults(holidays: Holidays | undefined, path: Path): Fault[] {
  const fault = holidays && holidayFault(holidays);
  return fault ? [{ path: [...path, fault.path], message: fault.message }] : [];
}

type Checked = ReturnType<typeof check<typeof ruleSetEntrySchema>>;

/** Problems of entries whose id occurs before. */
export function repeatedIds(entries: readonly WrittenRule[]): Problem[] {
  const first = new Map<unknown, WrittenRule>();
  return entries.flatMap((entry) => {
    const other = first.get(entry.id);
    if (!other) first.set(entry.id, entry);
    if (!other || entry.id === undefined) return [];
    const { file, line, column } = other.problemAt({ path: ['id'], message: '' });
    const message = `the rule id "${String(entry.id)}" is already used at ${file}:${line}:${column}`;
    return [entry.problemAt({ path: ['id'], message })];
  });
}

/** Problems of members: unknown rules, and rules that do not fit. */
export function wrongMembers(entries: readonly WrittenRule[]): Problem[] {
  const rules = new Map(entries.flatMap(({ rule }) => (rule ? [[rule.id, rule] as const] : [])));
  const ids = entries.map(({ id }) => String(id));
  return entries.flatMap(({ rule, problemAt }) => {
    if (!rule?.members) return [];
    return rule.members.ruleIds.flatMap((id, i) => {
      const member = rules.get(id);
      const missing = `there is no rule "${id}"${didYouMean(id, ids)}`;
      const message = ids.includes(id) ? member && whyUnfit(rule, member) : missing;
      return message === undefined
        ? []
        : [problemAt({ path: [rule.all_of ? 'all_of' : 'any_of', i], message })];
    });
  });
}

/** Members are evaluated in the same run and window by window, so these keys must be equal. */
function whyUnfit(rule: CompositeRule, member: Rule): string | undefined {
  if (member.members) return `"${member.id}" is a rule over rules itself; name its members instead`;
  const differing = (['app', 'every', 'window', 'zone'] as const).find((key) => rule[key] !== member[key]);
  if (differing)
    return `"${member.id}" has another "${differing}" (${member[differing]}); it must equal that of this rule (${rule[differing]})`;
  if (rule.group_by && groupName(rule) !== groupName(member))
    return `"${member.id}" has no "group_by: ${groupText(rule)}"; remove "group_by" here, or add it there`;
  return undefined;
}
