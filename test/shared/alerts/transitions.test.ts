import { describe, expect, test } from 'vitest';
import {
  isAnswer,
  isEnd,
  opens,
  shareCondition,
  TRANSITION_NAMES,
  TRANSITIONS,
  type Transition,
} from '../../../shared/alerts/transitions.ts';
import { incidentNews } from '../../../shared/notifications/incident.ts';

const openings = TRANSITION_NAMES.filter(opens);
const ends = TRANSITION_NAMES.filter(isEnd);
const answers = TRANSITION_NAMES.filter(isAnswer);
const incidentOf = (transition: Transition) => incidentNews({ ruleId: 'sales', segment: null, transition });

describe.each(openings)('%s', (opening) => {
  const own = ends.filter((end) => shareCondition(end, opening));

  test('has an end', () => {
    expect(own).not.toEqual([]);
  });

  test('has the same pager incident as each of its ends', () => {
    const { pager } = TRANSITIONS[opening];
    if (pager === 'none') return;
    const incident = incidentOf(opening);
    expect(own.map(incidentOf)).toEqual(own.map(() => ({ key: incident?.key, action: 'resolve' })));
  });

  test('has no reminders after any of its ends', () => {
    if (TRANSITIONS[opening].reminders !== 'start') return;
    for (const end of own) expect(TRANSITIONS[end].reminders, end).toBe('stop');
  });
});

test.each(ends)('%s replaces pending answers only if its alert can be answered', (end) => {
  const isAnswerable = answers.some((answer) => shareCondition(answer, end));
  expect(TRANSITIONS[end].replaces === 'answers').toBe(isAnswerable);
});

test('answers and ends are never marked with a severity', () => {
  const marked = TRANSITION_NAMES.filter((each) => TRANSITIONS[each].sign === 'severity');
  expect(marked.filter((each) => isEnd(each) || isAnswer(each))).toEqual([]);
});

test('a pager triggers only on openings, resolves on ends and acknowledges on answers', () => {
  const withPager = (pager: string) => TRANSITION_NAMES.filter((each) => TRANSITIONS[each].pager === pager);
  expect(withPager('resolve')).toEqual(ends);
  expect(withPager('acknowledge')).toEqual(answers);
  expect(openings).toEqual(expect.arrayContaining(withPager('trigger')));
});
