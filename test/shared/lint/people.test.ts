import { expect, test } from 'vitest';
import { peopleFindings } from '../../../shared/lint/people.ts';
import { ruleNamed } from '../../fixtures/builders.ts';

test.each([
  ['shop-tema', 'shop-team', true],
  ['shopteam', 'shop-team', true],
  ['team-eu', 'team-us', false],
  ['ops-team', 'ios-team', false],
  ['team-1', 'team-2', false],
])('the owner %s beside %s is reported as misspelt: %s', (one, two, isSlip) => {
  const rules = [one, two, two].map((owner, i) => ruleNamed(`r${i}`, { owner }));
  expect(peopleFindings(rules).map(({ code }) => code)).toEqual(isSlip ? ['owner-misspelt'] : []);
});
