import { openSlackInbox } from '../../local/inbox/slack-inbox.ts';
import { openLocalSecrets } from '../../local/secrets.ts';
import { createSite } from '../../local/site.ts';
import { systemClock as clock } from '../../shared/runtime/clock.ts';
import { openSqliteTable } from '../../shared/store/sqlite-table.ts';
import { createFakeMetricSource } from '../fakes/fake-metric-source.ts';

// Prints what `/healthz` answers before and after no more can be written to the table in the given folder.
const [folder = ''] = process.argv.slice(2);
const table = openSqliteTable(`${folder}/table.sqlite`, clock);
const { app } = createSite({
  ...{ table, clock, address: 'http://localhost', access: { kind: 'open' } },
  secrets: await openLocalSecrets(`${folder}/secrets.json`, {}),
  inbox: openSlackInbox({ file: `${folder}/inbox.ndjson`, clock }),
  sourceFor: () => createFakeMetricSource([]),
  progress: () => ({ phase: 'live' }),
});
const health = async () => console.log(await (await app.request('http://localhost/healthz')).text());
await health();
const fill = async (letters: number) => {
  for (let i = 0; ; i++) await table.put({ pk: `${letters}-${i}`, sk: 'x'.repeat(letters) });
};
for (const letters of [10_000, 1]) await fill(letters).catch(() => {});
await health();
