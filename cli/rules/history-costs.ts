import { counted } from '../../local/terminal.ts';
import { type HistoryCost, historyCosts } from '../../shared/planning/history-cost.ts';
import { callsWithin } from '../../shared/readings/call-budget.ts';
import type { FigureRule } from '../../shared/rules/rule.ts';
import { CALLS_PER_HOUR } from '../options/allowed-calls.ts';

/** API calls of the rules, one line per family with shared calls. */
export function costLines(rules: FigureRule[], now: number): string[] {
  const spare = callsWithin('spare', CALLS_PER_HOUR);
  const costs = historyCosts(rules, now, CALLS_PER_HOUR);
  return [
    `API calls at most: for history (up to ${spare} an hour), then per day`,
    ...costs.flatMap((cost) => [
      `  ${namesOf(cost)}`,
      `    ${counted(cost.calls, 'call')}; without time buckets ${counted(cost.callsOneByOne, 'call')} in ${durationText(cost.hoursOneByOne)}; then ${perDayText(cost.callsPerDay)}`,
    ]),
  ];
}

function namesOf({ rules }: HistoryCost): string {
  const [first, second] = rules.map(({ id }) => id);
  if (second === undefined) return first ?? '';
  return rules.length === 2 ? `${first}, ${second}` : `${first} and ${rules.length - 1} more`;
}

function durationText(hours: number): string {
  if (hours < 1) return counted(Math.max(1, Math.ceil(hours * 60)), 'minute');
  return hours < 48 ? counted(Math.ceil(hours), 'hour') : counted(Math.ceil(hours / 24), 'day');
}

function perDayText(calls: number): string {
  if (calls >= 1) return `${counted(Math.ceil(calls), 'call')} a day`;
  return calls * 7 >= 1
    ? `${counted(Math.ceil(calls * 7), 'call')} a week`
    : `${counted(Math.ceil(calls * 31), 'call')} a month`;
}
