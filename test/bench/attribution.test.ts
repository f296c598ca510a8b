import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { causesAsked } from '../../bench/attribution/asking.ts';
import { type Case, leavesAt, type MinuteRow, readCases } from '../../bench/attribution/cases.ts';
import { causeText, exactMatch } from '../../bench/attribution/exact-match.ts';
import { generatedCases } from '../../bench/attribution/generated.ts';
import { adtributor, largestChange } from '../../bench/attribution/rivals.ts';
import { causesNamed } from '../../bench/attribution/run.ts';

const FILE = [
  'min,value,cnt,cdn,p2p',
  '60,2,100,5,0',
  '60,2,100,5,1',
  '60,2,100,7,1',
  '120,40,100,5,0',
  '120,2,90,5,1',
  '120,3,100,7,1',
].join('\n');

describe('recorded cases', () => {
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'deltawatch-cases-'));
    const labels = { 'a.csv': { timestamp: 120, cause: { cdn: 5, p2p: 0 } } };
    await writeFile(join(folder, 'labels.json'), JSON.stringify(labels));
    await writeFile(join(folder, 'a.csv'), FILE);
  });

  afterAll(() => rm(folder, { recursive: true }));

  test('are read with their labels, and their causes are found', async () => {
    const [only, ...others] = await readCases(folder);
    expect(others).toEqual([]);
    expect(only).toMatchObject({ name: 'a.csv', causes: [{ cdn: '5', p2p: '0' }] });
    expect(only?.table.dimensions).toEqual(['cdn', 'p2p']);
    expect(only && causesNamed(only, 2)).toEqual([{ cdn: '5', p2p: '0' }]);
  });
});

describe('the baseline of a minute', () => {
  const rows = (totals: number[]): MinuteRow[] =>
    totals.map((amount, minute) => ({ minute, values: ['a'], amount, weight: 10 }));
  test.each([
    {
      name: 'the lower half of the minutes before, for a rise',
      totals: [4, 30, 6, 40, 90, 5],
      minute: 4,
      baseline: 5,
    },
    {
      name: 'the upper half of the minutes before, for a fall',
      totals: [40, 3, 60, 50, 5],
      minute: 4,
      baseline: 55,
    },
    { name: '0 for the first minute', totals: [7, 8], minute: 0, baseline: 0 },
  ])('is $name', ({ totals, minute, baseline }) => {
    expect(leavesAt(rows(totals), minute)).toMatchObject([
      { current: { amount: totals[minute] }, baseline: { amount: baseline } },
    ]);
  });
});

describe('competing methods and scores', () => {
  const [sample] = generatedCases(1);
  const named = (causes: Record<string, string>[]) => ({
    each: { ...sample, causes } as Case,
    named: [{ a: '1' }],
  });

  test('exactMatch counts causes that are named exactly', () => {
    expect(exactMatch([named([{ a: '1' }]), named([{ a: '2' }]), named([{ a: '1' }, { b: '1' }])])).toEqual({
      f1: 0.571,
      precision: 0.667,
      recall: 0.5,
    });
    expect(causeText({ b: '1', a: '2' })).toBe('a=2 b=1');
  });

  test('generated cases are reproducible, and most of their causes are found', () => {
    const cases = generatedCases(12);
    expect(cases).toEqual(generatedCases(12));
    const f1Of = (name: (each: Case) => Case['causes']) =>
      exactMatch(cases.map((each) => ({ each, named: name(each) }))).f1;
    expect(f1Of((each) => causesNamed(each, 2))).toBeGreaterThan(0.8);
    expect(f1Of(causesAsked)).toBeGreaterThan(0.7);
    expect(f1Of(largestChange)).toBeLessThan(0.7);
    expect(f1Of(adtributor)).toBeLessThan(0.7);
  });
});
