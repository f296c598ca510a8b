import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as z from 'zod';
import { cdkToolkit } from '../../../../cli/deploy/cdk.ts';
import { ruleNamed, ruleSetOf } from '../../../fixtures/builders.ts';
import { type Folder, temporaryFolder } from '../../../fixtures/deltawatch.ts';
import { STAGES } from '../../../fixtures/stages.ts';

/** Stands in for the command of `aws-cdk`: it notes how it is called, and fails a deployment. */
const CDK = `const { existsSync, readdirSync, appendFileSync } = require('node:fs');
const args = process.argv.slice(2);
const outdir = args[args.indexOf('--app') + 1];
const templates = args.includes('--app') ? readdirSync(outdir).filter((name) => name.endsWith('.template.json')) : [];
const seen = { args, hasCdkJson: existsSync('cdk.json'), outdir, templates: templates.length };
appendFileSync(__dirname + '/calls', JSON.stringify(seen) + '\\n');
process.exit(args[0] === 'deploy' ? 1 : 0);`;

const callSchema = z.object({
  args: z.array(z.string()),
  hasCdkJson: z.boolean(),
  outdir: z.string(),
  templates: z.number(),
});

let folder: Folder;
let bin: string;
beforeAll(async () => {
  folder = await temporaryFolder();
  bin = join(folder.path, 'node_modules', 'aws-cdk', 'bin');
  await mkdir(bin, { recursive: true });
  await writeFile(
    join(bin, '..', 'package.json'),
    JSON.stringify({ name: 'aws-cdk', bin: { cdk: 'bin/cdk' } }),
  );
  await writeFile(join(bin, 'cdk'), CDK);
  // The repository may be a CDK app too.
  await writeFile(join(folder.path, 'cdk.json'), '{ "app": "false", "context": {} }');
});
afterAll(() => folder[Symbol.asyncDispose]());

async function calls() {
  const lines = (await readFile(join(bin, 'calls'), 'utf8')).trim().split('\n');
  return lines.map((line) => callSchema.parse(JSON.parse(line)));
}

test('the CDK of the project gets the templates of one stage, and no settings of the project', async () => {
  const stage = STAGES.find(({ name }) => name === 'production');
  if (!stage) throw new Error('there is no stage');
  const synthesize = cdkToolkit(folder.path, 'ops');
  const rules = ruleSetOf(ruleNamed('sales'));
  {
    await using synthesized = await synthesize({ ...stage, region: 'eu-west-1' }, rules);
    await synthesized.showDifferences();
    await expect(synthesized.deploy()).rejects.toThrow('"cdk deploy" failed: its messages are above');
  }

  const [diff, deployed] = await calls();
  for (const call of [diff, deployed]) {
    expect(call).toMatchObject({ hasCdkJson: false, templates: 5 });
    expect(call?.args.join(' ')).toContain('--profile ops');
  }
  expect(diff?.args.slice(0, 3)).toEqual(['diff', '--method', 'template']);
  expect(deployed?.args.slice(0, 4)).toEqual(['deploy', '--all', '--require-approval', 'never']);
  await expect(readFile(join(diff?.outdir ?? '', 'manifest.json'))).rejects.toThrow('ENOENT');
});
