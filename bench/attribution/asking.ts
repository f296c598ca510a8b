import { type Breach, DRIVER_ATTRIBUTES, driverQuestions } from '../../shared/evaluation/driver-questions.ts';
import type { Answer } from '../../shared/evaluation/driver-tables.ts';
import { driversOf, nextQuestion } from '../../shared/evaluation/drivers.ts';
import type { Question, ReadingRow } from '../../shared/readings/reading.ts';
import { buildFigureRule, ruleSetEntrySchema } from '../../shared/rules/rule.ts';
import { type Leaf, sum } from '../../shared/statistics/attribution-gain.ts';
import { DAY_MS } from '../../shared/units/durations.ts';
import type { Case, CauseValues } from './cases.ts';

/** The attributes that stand for the dimensions of a case, in the same order. */
const ATTRIBUTES: readonly string[] = DRIVER_ATTRIBUTES;

const RULE = buildFigureRule(
  ruleSetEntrySchema.parse({
    id: 'failures',
    title: 'Failures per request',
    app: 'bench',
    owner: 'bench',
    every: 'day at 01:00',
    ratio: { of: 'failure', to: 'request' },
    fire: { change: { above: '0%' } },
  }),
);
const BREACH: Breach = {
  rule: RULE,
  segment: null,
  window: { startAt: DAY_MS, endAt: 2 * DAY_MS },
  baselineWindow: { startAt: 0, endAt: DAY_MS },
};

/**
 * The causes that a message would name. It asks one question for each dimension, then one for a pair of dimensions, and
 * never reads the leaves.
 */
export function causesAsked({ table: { dimensions, leaves } }: Case): CauseValues[] {
  const moved = { current: rateOf(leaves, 'current'), baseline: rateOf(leaves, 'baseline') };
  const answers = driverQuestions(BREACH)
    .filter((question) => placesOf(question).every((place) => place < dimensions.length))
    .map((question) => answerTo(question, leaves));
  const next = nextQuestion(BREACH, moved, answers);
  if (next) answers.push(answerTo(next, leaves));
  const drivers = driversOf(BREACH, moved, answers)?.drivers ?? [];
  const nameOf = (attribute: string) => dimensions[ATTRIBUTES.indexOf(attribute)] ?? attribute;
  return drivers.map(({ values }) =>
    Object.fromEntries(Object.entries(values).map(([attribute, value]) => [nameOf(attribute), value])),
  );
}

function answerTo(question: Question, leaves: readonly Leaf[]): Answer {
  const places = placesOf(question);
  const groups = Map.groupBy(leaves, ({ values }) => JSON.stringify(places.map((place) => values[place])));
  const rows = [...groups.values()].flatMap((group) => {
    const [first] = group;
    const row = (eventName: string, part: 'amount' | 'weight'): ReadingRow => ({
      eventName,
      groups: places.map((place) => first?.values[place] ?? null),
      current: { event_count: sum(group, ({ current }) => current[part]) },
      previous: { event_count: sum(group, ({ baseline }) => baseline[part]) },
    });
    return [row('failure', 'amount'), row('request', 'weight')];
  });
  return { question, rows };
}

function placesOf({ groupBy = [] }: Question): number[] {
  return groupBy.map(({ attribute }) => ATTRIBUTES.indexOf(attribute));
}

function rateOf(leaves: readonly Leaf[], period: 'current' | 'baseline'): number {
  return sum(leaves, (leaf) => leaf[period].amount) / sum(leaves, (leaf) => leaf[period].weight);
}
