import type { CallShortage } from '../planning/call-shortage.ts';

/** The families that a sentence names. */
const NAMED = 3;

/** "the rules of shop need about 984 calls a day, and 720 are allowed, …", without a full stop. */
export function callShortageText({ app, per, needed, allowed, families }: CallShortage): string {
  const time = per === 'day' ? 'a day' : 'within one hour';
  const effect =
    per === 'day'
      ? 'so the least severe ones are not evaluated'
      : 'so the least severe ones are evaluated late';
  const advice = per === 'day' ? 'run some less often' : 'run some at another time or less often';
  const most = families.slice(0, NAMED).map(({ rules, calls }) => `${namesOf(rules)} (${Math.ceil(calls)})`);
  return `the rules of ${app} need about ${needed} calls ${time}, and ${allowed} are allowed, ${effect}; ${advice}, or use the same filters so that rules share calls. Most calls: ${most.join(', ')}`;
}

function namesOf(rules: CallShortage['families'][number]['rules']): string {
  const [first, ...others] = rules;
  const more = others.length > 0 ? ` and ${others.length} more` : '';
  return `${first?.id} every ${first?.every}${more}`;
}
