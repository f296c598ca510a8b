import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Label } from '../../../workbench/backtest/label.ts';
import { generatedLabels, labelsIn, loadLabels } from '../../../workbench/backtest/labels.ts';
import { temporaryFolder } from '../../fixtures/deltawatch.ts';

const KNOWN = { ruleIds: ['purchases', 'new-users'], apps: ['demo'] };
const labels = (text: string, file = 'rules/incidents.yaml') => labelsIn(file, text, KNOWN);

test('a day starts in the zone of the file, and a time can have its own', () => {
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

test.each<[string, Label['about']]>([
  ['app: demo, metric: any, direction: fall', { app: 'demo', metrics: 'any', direction: 'fall' }],
  ['app: demo, metric: new_users', { app: 'demo', metrics: ['new_users'] }],
  [
    'app: demo, metric: [sessions, users], filters: [{ attribute: device_country, operator: equal, value: Malta }]',
    {
      ...{ app: 'demo', metrics: ['sessions', 'users'] },
      filters: [{ attribute: 'device_country', operator: 'equal', value: 'Malta' }],
    },
  ],
  [
    'rules: [purchases], segment: Malta, direction: rise',
    { rules: ['purchases'], segment: 'Malta', direction: 'rise' },
  ],
])('reads what an incident touches: %s', (words, about) => {
  const text = `incidents: [{ from: 2026-03-02, to: 2026-03-03, title: T, ${words} }]`;
  expect(labels(text).map((each) => each.about)).toEqual([about]);
});

describe('an error has its position', () => {
  const entry = (words: string) => `incidents:\n  - { ${words}, title: T }\n`;
  test.each([
    ['rules: []\n', ':1:1 unknown key "rules"'],
    [entry('from: 2026-03-02, to: 2026-03-03'), ':2:5 set either "rules"'],
    [entry('from: 2026-03-02, to: 2026-03-03, app: demo, rules: [purchases]'), 'should have fired) or'],
    [entry('from: 2026-03-02, to: 2026-03-03, rules: [purchase]'), 'did you mean "purchases"?'],
    [entry('from: 2026-03-02, to: 2026-03-03, app: shop'), ':2:46 no rule watches the app "shop"'],
    [entry('from: yesterday, to: 2026-03-03, app: demo'), ':2:13 use a day such as 2026-03-01'],
    [entry('from: 2026-03-02, to: 2026-02-30, app: demo'), 'found "2026-02-30"'],
    [entry('from: 2026-03-02, to: 2026-03-02, app: demo'), ':2:29 must be later than "from"'],
    [
      entry('from: 2026-03-02, to: 2026-03-03, app: demo, metric: session'),
      ':2:60 unknown metric "session"; did you mean',
    ],
    [
      entry('from: 2026-03-02, to: 2026-03-03, app: demo, direction: fall'),
      ':2:63 also set the "metric" that moved, or "metric: any"',
    ],
    [
      entry('from: 2026-03-02, to: 2026-03-03, app: demo, metric: any, segment: Malta'),
      ':2:74 "segment" goes with "rules"; with "app", use',
    ],
    [
      entry('from: 2026-03-02, to: 2026-03-03, rules: [purchases], metric: sessions'),
      ':2:69 "rules" already set the metric: remove this key',
    ],
    [
      entry('from: 2026-03-02, to: 2026-03-03, rules: [purchases], direction: down'),
      ':2:72 unknown direction "down"',
    ],
    ['zone: Berlin\nincidents: []\n', ':1:7 use an IANA time zone'],
    ['[1, 2]\n', 'must be a map with the key "incidents"'],
  ])('%j', (text, problem) => {
    expect(() => labels(text)).toThrow(problem);
  });
});

describe('a generated incident touches', () => {
  const equal = (attribute: string, value: string) => ({ attribute, operator: 'equal', value });
  test.each<[string, object, string, object]>([
    [
      'new users everywhere',
      { kind: 'new-users-drop', factor: 0.3, appVersion: '5.1.0' },
      'new users fall with 5.1.0',
      { metrics: ['new_users'], filters: [], direction: 'fall' },
    ],
    [
      'one event in one country',
      { kind: 'event-stops', factor: 0, eventName: 'search', countryCode: 'DE', country: 'Germany' },
      'search stops in Germany',
      { filters: [equal('event_name', 'search'), equal('device_country', 'Germany')], direction: 'fall' },
    ],
    [
      'rage gestures on one version',
      { kind: 'rage-surge', factor: 9, platform: 'android', appVersion: '5.1.0', screen: 'Checkout' },
      'rage gestures on Checkout, android 5.1.0',
      {
        metrics: ['rage_gestures', 'rage_gestures_per_session', 'rage_gestures_per_user'],
        filters: [{}, equal('app_version', '5.1.0'), {}],
        direction: 'rise',
      },
    ],
  ])('%s', (_, incident, title, about) => {
    const span = { startsAt: '2026-03-02T10:00:00Z', endsAt: '2026-03-05T10:00:00Z' };
    const text = JSON.stringify([{ ...incident, ...span }]);
    expect(labels(text, '.deltawatch/data/demo.incidents.json')).toMatchObject([
      { title, about: { app: 'demo', ...about }, startAt: Date.parse('2026-03-02T10:00Z') },
    ]);
  });
});

test('a folder can be without labels, but a named file must exist', async () => {
  await using folder = await temporaryFolder();
  expect(await loadLabels(folder.path, undefined, KNOWN)).toBeUndefined();
  await expect(loadLabels(folder.path, 'nowhere.yaml', KNOWN)).rejects.toThrow(
    'nowhere.yaml: there is no such file',
  );
});

test('generated labels are used only if all apps were generated', async () => {
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
