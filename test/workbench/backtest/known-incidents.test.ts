import { expect, test } from 'vitest';
import {
  incidentsIn,
  type KnownIncident,
  loadIncidents,
} from '../../../workbench/backtest/known-incidents.ts';
import { ruleNamed } from '../../fixtures/builders.ts';
import { temporaryFolder } from '../../fixtures/deltawatch.ts';

const RULES = [ruleNamed('purchases'), ruleNamed('new-users')];
const read = (text: string) => incidentsIn('rules/incidents.yaml', text, RULES);

test('a day starts in the zone of the file, and a time can have its own', () => {
  const found = read(`
zone: Europe/Berlin
incidents:
  - { from: 2026-03-04T06:00Z, to: 2026-03-04T09:00Z, app: demo, title: The app was down }
  - { from: 2026-03-02, to: 2026-03-03, rules: [purchases], segment: Malta, title: Payments refused }
`);
  expect(found).toEqual<KnownIncident[]>([
    {
      startAt: Date.parse('2026-03-01T23:00Z'),
      endAt: Date.parse('2026-03-02T23:00Z'),
      title: 'Payments refused',
      rules: ['purchases'],
      segment: 'Malta',
    },
    {
      startAt: Date.parse('2026-03-04T06:00Z'),
      endAt: Date.parse('2026-03-04T09:00Z'),
      title: 'The app was down',
      app: 'demo',
    },
  ]);
});

const entry = (words: string) => `incidents:\n  - { ${words}, title: T }\n`;
test.each([
  ['rules: []\n', ':1:1 unknown key "rules"'],
  [entry('from: 2026-03-02, to: 2026-03-03'), ':2:5 set either "rules"'],
  [entry('from: 2026-03-02, to: 2026-03-03, app: demo, rules: [purchases]'), 'should have fired) or'],
  [entry('from: 2026-03-02, to: 2026-03-03, app: demo, segment: Malta'), '"segment" goes with "rules"'],
  [entry('from: 2026-03-02, to: 2026-03-03, rules: [purchase]'), 'did you mean "purchases"?'],
  [entry('from: 2026-03-02, to: 2026-03-03, app: shop'), ':2:46 no rule watches the app "shop"'],
  [entry('from: yesterday, to: 2026-03-03, app: demo'), ':2:13 use a day such as 2026-03-01'],
  [entry('from: 2026-03-02, to: 2026-02-30, app: demo'), 'found "2026-02-30"'],
  [entry('from: 2026-03-02, to: 2026-03-02, app: demo'), ':2:29 must be later than "from"'],
  ['zone: Berlin\nincidents: []\n', ':1:7 use an IANA time zone'],
])('an error has its position: %j', (text, problem) => {
  expect(() => read(text)).toThrow(problem);
});

test('a folder can be without incidents, but a named file must exist', async () => {
  await using folder = await temporaryFolder();
  expect(await loadIncidents(folder.path, undefined, RULES)).toBeUndefined();
  await expect(loadIncidents(folder.path, 'nowhere.yaml', RULES)).rejects.toThrow(
    'nowhere.yaml: there is no such file',
  );
});
