import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { routesFor, routesSchema } from '../../shared/notifications/routes.ts';
import { formatProblems } from '../../shared/rule-files/file-problems.ts';
import { buildRuleSet } from '../../shared/rule-files/yaml-rule-files.ts';
import { routeCalendarSchema } from '../../shared/time/route-calendar.ts';
import { ruleNamed } from '../fixtures/builders.ts';
import { codeIn, documentAt, tableIn } from './documents.ts';

const [ofRoutes = [], ofCalendars = []] = (() => {
  const { text, path } = documentAt('docs/reference/routes.md');
  const parts = text.split('## Calendars').map((part) => ({ ...documentAt(path), text: part }));
  return parts.map((part) => tableIn(part, 'key').map(([key = '']) => codeIn(key).join()));
})();

test('routes.md lists every key of routes, calendars and the file', () => {
  const { routes, ...file } = routesSchema.shape;
  expect(ofRoutes).toEqual(Object.keys(routes.unwrap().element.shape));
  expect(ofCalendars).toEqual(Object.keys(routeCalendarSchema.shape));
  const { text } = documentAt('docs/reference/routes.md');
  for (const key of Object.keys(file).filter((each) => each !== '$schema'))
    expect(text).toContain(`\n${key}:`);
});

test('the example in rules/routes.yaml is valid and routes as described', () => {
  const file = readFileSync('rules/routes.yaml', 'utf8');
  const text = file.replaceAll(/^( *)#(?! \S)/gm, '$1');
  expect(text).toContain('\ncalendars:');
  const rule =
    'rules: [{ id: a, title: A, app: demo, owner: team, every: hour, metric: sessions, anomaly: true }]';
  const files = new Map([
    ['a.yaml', rule],
    ['routes.yaml', text],
  ]);
  const loaded = buildRuleSet('rules', files);
  if (loaded.kind === 'problems') throw new Error(formatProblems(loaded.problems));
  const { routes } = loaded.ruleSet;
  const about = { ...ruleNamed('a'), owner: 'growth-team', severity: 'info' } as const;
  expect(routesFor(about, routes, 0)[0]?.name).toBe('growth');
  expect(routesFor({ ...about, severity: 'critical' }, routes, 0)[0]?.name).toBe('critical');
});
