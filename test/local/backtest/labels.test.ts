import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { generatedLabels, labelsIn, loadLabels } from '../../../local/backtest/labels.ts';
import { temporaryFolder } from '../../fixtures/deltawatch.ts';

const KNOWN = { ruleIds: ['purchases', 'new-users'], apps: ['demo'] };
const labels = (text: string, file = 'rules/incidents.yaml') => labelsIn(file, text, KNOWN);

test('a day is its start in the zone of the file, and a time may say its own', () => {
  const read = labels(`
zone: Europe/Berlin
incidents:
  - { from: 2026-03-04T06:00Z, to: 2026-03-04T09:00Z, app: demo, title: The app was down }
  - { from: 2026-03-02, to: 2026-03-03, rules: [purchases], title: Payments refused }
`);
  expect(read).toEqual([
    {
      startAt: Date.parse('2026-03-01T23:00Z'),
      endAt: Date.parse('2026-03-02T23:00Z'),
      title: 'Payments refused',
      about: { rules: ['purchases'] },
    },
    {
      startAt: Date.parse('2026-03-04T06:00Z'),
      endAt: Date.parse('2026-03-04T09:00Z'),
      title: 'The app was down',
      about: { app: 'demo' },
    },
  ]);
});

describe('what is wrong is told with its place', () => {
  const entry = (words: string) => `incidents:\n  - { ${words}, title: T }\n`;
  test.each([
    ['rules: []\n', ':1:1 unknown key "rules"'],
    [entry('from: 2026-03-02, to: 2026-03-03'), ':2:5 say which "rules" should have fired'],
    [entry('from: 2026-03-02, to: 2026-03-03, app: demo, rules: [purchases]'), 'one of the two'],
    [entry('from: 2026-03-02, to: 2026-03-03, rules: [purchase]'), 'did you mean "purchases"?'],
    [entry('from: 2026-03-02, to: 2026-03-03, app: shop'), ':2:46 no rule watches the app "shop"'],
    [entry('from: yesterday, to: 2026-03-03, app: demo'), ':2:13 write a day, 2026-03-01'],
    [entry('from: 2026-03-02, to: 2026-02-30, app: demo'), 'found "2026-02-30"'],
    [entry('from: 2026-03-02, to: 2026-03-02, app: demo'), ':2:29 must be later than "from"'],
    ['zone: Berlin\nincidents: []\n', ':1:7 write an IANA time zone'],
    ['[1, 2]\n', 'must be a map with the key "incidents"'],
  ])('%j', (text, problem) => {
    expect(() => labels(text)).toThrow(problem);
  });
});

test('what was generated of the demo shop is about the app of its name', () => {
  const text = JSON.stringify([
    {
      kind: 'new-users-drop',
      startsAt: '2026-03-02T10:00:00Z',
      endsAt: '2026-03-05T10:00:00Z',
      factor: 0.3,
      appVersion: '5.1.0',
    },
  ]);
  expect(labels(text, '.deltawatch/data/demo.incidents.json')).toMatchObject([
    { title: 'new users fall with 5.1.0', about: { app: 'demo' }, startAt: Date.parse('2026-03-02T10:00Z') },
  ]);
});

test('a folder without labels has none, but a file that is named must be there', async () => {
  await using folder = await temporaryFolder();
  expect(await loadLabels(folder.path, undefined, KNOWN)).toBeUndefined();
  await expect(loadLabels(folder.path, 'nowhere.yaml', KNOWN)).rejects.toThrow(
    'nowhere.yaml: there is no such file',
  );
});

test('labels beside generated data serve where all apps were generated', async () => {
  await using folder = await temporaryFolder();
  const stop = { kind: 'event-stops', factor: 0, eventName: 'search', countryCode: 'DE', country: 'Germany' };
  const span = { startsAt: '2026-03-02T10:00:00Z', endsAt: '2026-03-05T10:00:00Z' };
  const file = join(folder.path, 'demo.incidents.json');
  await writeFile(file, JSON.stringify([{ ...stop, ...span }]));
  expect(await generatedLabels(folder.path, ['demo', 'demo'])).toMatchObject({
    labels: [{ title: 'search stops in Germany', about: { app: 'demo' } }],
    files: [file],
  });
  expect(await generatedLabels(folder.path, ['demo', 'shop'])).toBeUndefined();
});
