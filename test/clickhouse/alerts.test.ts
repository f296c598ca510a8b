import { expect, test } from 'vitest';
import { type SimulationOptions, simulated } from '../../bench/simulate.ts';
import { openTeamTables } from '../../bench/team-tables.ts';
import { readRules } from '../../cli/options/read-rules.ts';
import { openDataAccess } from '../../local/data-access.ts';
import { demoDataFor } from '../../local/demo-data.ts';
import { DAY_MS } from '../../shared/units/durations.ts';
import { temporaryFolder } from '../fixtures/deltawatch.ts';

const FROM = Date.UTC(2026, 4, 4);
/** An incident begins and ends in these days. */
const SPAN = { from: FROM, to: FROM + 8 * DAY_MS };

test('the rules of the demo shop give the same alerts over ClickHouse as over the service', async () => {
  await using folder = await temporaryFolder();
  const dataDir = await demoDataFor({ ...SPAN, seed: 1 }, folder.path);
  const { rules, ...others } = await readRules('rules');
  const ruleSet = { ...others, rules: rules.filter(({ id }) => id !== 'sessions-hourly') };
  const alerts = (open?: SimulationOptions['open']) =>
    simulated({ ruleSet, ...SPAN, dataDir, ...(open && { open }) });
  await using shop = await openTeamTables('clickhouse', {
    ...{ directory: dataDir, apps: ['demo'], zone: 'Europe/Berlin' },
  });
  const { apps, tables } = shop;
  const overTables = await alerts((given) =>
    openDataAccess({ kind: 'tables', apps, tables, describe: 'tables' }, given),
  );
  expect(overTables).toEqual(await alerts());
  expect(overTables.map(({ rule, transition }) => `${rule} ${transition}`)).toEqual([
    'new-users fired',
    'new-users recovered',
  ]);
});
