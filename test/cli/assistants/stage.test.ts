import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { expect, test, vi } from 'vitest';
import { toolServer } from '../../../cli/assistants/server.ts';
import { terminalLogger } from '../../../local/terminal.ts';
import { configSchema } from '../../../shared/config/config.ts';
import { ManualClock } from '../../../shared/runtime/clock.ts';
import { storesIn } from '../../../shared/store/stores.ts';
import { startAccount, variablesOf } from '../../fixtures/aws-account.ts';
import { ruleSetOf } from '../../fixtures/builders.ts';
import { openEmulatedTable } from '../../fixtures/dynamodb.ts';
import { portOf } from '../../fixtures/port-of-socket.ts';
import { STAGES } from '../../fixtures/stages.ts';
import { firing, NOW, RULE } from '../../functions/respond/desk.ts';

test('with --stage the tools read the alerts of the stage', async () => {
  await using account = await startAccount();
  for (const [name, value] of Object.entries(variablesOf(account))) vi.stubEnv(name, value);
  const clock = new ManualClock(NOW);
  const table = await openEmulatedTable(clock);
  await using port = await portOf(table.socketPath);
  account.state.dynamodb = port.url;
  const outputs = { TableName: table.name };
  account.state.stacks.set('deltawatch-production-state', { status: 'UPDATE_COMPLETE', outputs });
  const stores = storesIn(table, terminalLogger);
  await stores.rules.save(ruleSetOf(RULE));
  await stores.alerts.save(firing());

  const project = { dir: '/shop', file: '/shop/deltawatch.config.ts' };
  const config = { ...configSchema.parse({ rules: 'rules' }), stages: STAGES };
  const stage = { stage: 'production', region: 'eu-north-1', project: { ...project, config } };
  const [near, far] = InMemoryTransport.createLinkedPair();
  const client = new Client({ name: 'test', version: '1' });
  await toolServer({ ...stage, state: '.deltawatch', rules: 'rules' }, clock).connect(far);
  await client.connect(near);
  const answerTo = async (name: string, args = {}) =>
    (await client.callTool({ name, arguments: args })).structuredContent;
  expect(await answerTo('list_alerts')).toMatchObject({ data: [{ ruleId: 'sales', state: 'firing' }] });
  expect(await answerTo('explain_alert', { rule: 'sales' })).toMatchObject({ figures: { current: 40 } });
  account.state.refused.set('GetItem', 'AccessDeniedException');
  const { isError, content } = await client.callTool({ name: 'explain_alert', arguments: { rule: 'sales' } });
  expect(isError).toBe(true);
  expect(JSON.stringify(content)).toContain('how-to/operating.md lists the permissions');
  vi.unstubAllEnvs();
  await table.close();
});
