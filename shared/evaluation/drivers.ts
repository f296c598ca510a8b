import * as z from 'zod';
import type { Question } from '../readings/reading.ts';
import type { Metric } from '../rules/metric.ts';
import { attributeCount, attributeMean } from '../statistics/attribution.ts';
import type { Attribution } from '../statistics/attribution-driver.ts';
import { attributeUniques } from '../statistics/attribution-uniques.ts';
import { hoursOf } from '../time/window.ts';
import { type Breach, DRIVER_ATTRIBUTES, type DriverAttribute, pairQuestion } from './driver-questions.ts';
import { type Answer, leavesOf, measuredOf } from './driver-tables.ts';

const movementSchema = z.object({ current: z.number(), baseline: z.number() });
/** The values of the two windows, as read. */
export type Movement = z.infer<typeof movementSchema>;

/** As `Driver` of `shared/statistics/attribution-driver.ts`, which explains the figures. */
const driverSchema = z.object({
  kind: z.enum(['count', 'within', 'mix', 'unique']),
  values: z.record(z.string(), z.string()),
  current: z.number().nullable(),
  baseline: z.number().nullable(),
  shareOfChange: z.number(),
  shareOfBase: z.number(),
  shareNow: z.number(),
});

export const driversSchema = z.object({
  /** At most three, largest share first; empty if nothing stands out or only `opposed` applies. */
  drivers: z.array(driverSchema),
  opposed: z.object({ dimension: z.string(), within: z.number(), mix: z.number() }).nullable(),
  /** If nothing stands out: the attributes that were compared. */
  compared: z.array(z.enum(DRIVER_ATTRIBUTES)),
  moved: movementSchema,
});
/** The drivers of a breach; `driver-text.ts` has the text. */
export type Drivers = z.infer<typeof driversSchema>;

/** A pair folds more values than a single attribute, so it wins even if it explains slightly less. */
const NEARLY = 0.8;

/**
 * The one further question worth a call after `driverQuestions`: about the two attributes that explain most. `null` if
 * fewer than two explain anything.
 */
export function nextQuestion(breach: Breach, moved: Movement, answers: readonly Answer[]): Question | null {
  const [first, second] = singlesOf(breach, moved, answers).flatMap(({ answer, attribution }) =>
    attribution.drivers.some(({ kind }) => kind === 'mix') ? [] : attributesOf(answer.question),
  );
  return first && second ? pairQuestion(breach, [first, second]) : null;
}

/**
 * The drivers of the breach from the answers to `driverQuestions` and `nextQuestion`, in any order and possibly
 * incomplete. Names values that stand out, or states that none does. `null` if no answer has two values to compare.
 */
export function driversOf(breach: Breach, moved: Movement, answers: readonly Answer[]): Drivers | null {
  const [single] = singlesOf(breach, moved, answers).filter(({ attribution }) => attribution.isApart);
  const [pair] = attributionsOf(breach, moved, answers, 2).filter(({ attribution }) => attribution.isApart);
  const isPair = pair && explainedBy(pair.attribution) >= NEARLY * explainedBy(single?.attribution);
  const attribution = (isPair ? pair : single)?.attribution ?? opposedIn(breach, moved, answers);
  if (!attribution) return nothingIn(answers, moved);
  const { drivers, opposed } = attribution;
  return { drivers, opposed, compared: [], moved };
}

/** The attributes with values to compare, if nothing stands out. */
function nothingIn(answers: readonly Answer[], moved: Movement): Drivers | null {
  const compared = answers
    .filter(({ question }) => question.groupBy?.length === 1)
    .filter(({ rows }) => new Set(rows.flatMap(({ groups = [] }) => groups)).size > 1)
    .flatMap(({ question }) => attributesOf(question));
  if (compared.length === 0) return null;
  return { drivers: [], opposed: null, compared, moved };
}

/** If no value is named, opposing effects of the mix are still reported. */
function opposedIn(breach: Breach, moved: Movement, answers: readonly Answer[]): Attribution | undefined {
  return answers
    .filter(({ question }) => question.groupBy?.length === 1)
    .map((answer) => attributionOf(breach, moved, answer))
    .find(({ opposed }) => opposed !== null);
}

interface Attributed {
  answer: Answer;
  attribution: Attribution;
}

/** Attributes that explain something: those whose mix does first, then the likeliest cause. */
function singlesOf(breach: Breach, moved: Movement, answers: readonly Answer[]): Attributed[] {
  const byMix = ({ drivers }: Attribution) => (drivers[0]?.kind === 'mix' ? explainedBy({ drivers }) : 0);
  return attributionsOf(breach, moved, answers, 1).toSorted(
    ({ attribution: a }, { attribution: b }) => byMix(b) - byMix(a) || b.score - a.score,
  );
}

function attributionsOf(
  breach: Breach,
  moved: Movement,
  answers: readonly Answer[],
  dimensions: 1 | 2,
): Attributed[] {
  return answers
    .filter(({ question }) => question.groupBy?.length === dimensions)
    .map((answer) => ({ answer, attribution: attributionOf(breach, moved, answer) }))
    .filter(({ attribution }) => attribution.drivers.length > 0);
}

function attributionOf(breach: Breach, moved: Movement, answer: Answer): Attribution {
  const { metric, series } = measuredOf(breach);
  const leaves = leavesOf(answer, { metric, series });
  const dimensions = (answer.question.groupBy ?? []).map(({ attribute }) => attribute);
  if (metric.kind !== 'count') return attributeMean({ dimensions, leaves });
  if (!countsOnce(metric)) return attributeCount({ dimensions, leaves });
  const counts = leaves.flatMap(({ values, current, baseline }) => {
    const named = values.flatMap((value, place) =>
      value === null ? [] : [[dimensions[place], value] as const],
    );
    if (named.length < values.length) return [];
    return [{ values: Object.fromEntries(named), current: current.amount, baseline: baseline.amount }];
  });
  const baseline = (moved.baseline * hoursOf(breach.window)) / hoursOf(breach.baselineWindow);
  return attributeUniques(counts, { current: moved.current, baseline });
}

/** A user counts in each group that any of their sessions belongs to. */
function countsOnce(metric: Metric & { kind: 'count' }): boolean {
  return !metric.addsUp || metric.endpoint === 'user';
}

function explainedBy(attribution: Pick<Attribution, 'drivers'> | undefined): number {
  const total = attribution?.drivers.reduce((sum, { shareOfChange }) => sum + shareOfChange, 0) ?? 0;
  return Math.min(1, total);
}

function attributesOf({ groupBy = [] }: Question): DriverAttribute[] {
  return DRIVER_ATTRIBUTES.filter((each) => groupBy.some(({ attribute }) => attribute === each));
}
