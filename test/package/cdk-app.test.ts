import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { pinned, teamRepository } from './team-repository.ts';

const APP = `
import { App } from 'aws-cdk-lib';
import { Deltawatch, loadRules } from 'deltawatch/cdk';
import { defineConfig } from 'deltawatch/config';

const { stages } = defineConfig({
  stages: {
    live: { operators: 'oncall@example.com', dataAccess: { kind: 'external', url: 'https://data.example.com' } },
  },
});
const app = new App({ outdir: 'cdk.out' });
for (const [name, stage] of Object.entries(stages ?? {}))
  new Deltawatch(app, \`deltawatch-\${name}\`, { name, ...stage, rules: await loadRules('rules') });
app.synth();
`;

test('a CDK app of a team synthesizes the construct, with the shipped bundles', async () => {
  await using team = await teamRepository({ others: pinned('aws-cdk-lib', 'constructs'), isLean: true });
  expect(await team.run('npx', 'deltawatch', 'init', '--app', 'clinic')).toMatchObject({ code: 0 });
  await team.write('app.ts', APP);
  const synthesized = await team.run(process.execPath, 'app.ts');
  expect(synthesized, synthesized.stderr).toMatchObject({ code: 0 });
  const written = await readdir(join(team.path, 'cdk.out'), { recursive: true });
  for (const part of ['state', 'respond', 'alerting'])
    expect(written).toContainEqual(expect.stringContaining(`live${part}`));
  expect(written).toContainEqual(expect.stringMatching(/rule-set\.json$/));
  expect(written).toContainEqual(expect.stringMatching(/index\.mjs$/));
});
