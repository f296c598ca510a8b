import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { App, Tags } from 'aws-cdk-lib';
import { loadProject } from '../shared/adapters/config-file/load-config.ts';
import { formatProblems, loadRuleFiles } from '../shared/adapters/rule-files/yaml-rule-files.ts';
import { packedRuleSet } from '../shared/alerting/deployments/packed-rule-set.ts';
import { ConfigError } from '../shared/runtime/errors.ts';
import { bundleFunctions } from './bundles.ts';
import { bundlesDir } from './function-bundles.ts';
import { addStageStacks } from './stage-stacks.ts';

const ROOT = join(import.meta.dirname, '..');
const bundles = bundlesDir();

// An invalid configuration or rule fails here, before anything is deployed.
const { config } = await loadProject(ROOT);
const loaded = await loadRuleFiles(join(ROOT, config.rules));
if (loaded.kind === 'problems') throw new ConfigError(formatProblems(loaded.problems));
const { ruleSet } = loaded;

await bundleFunctions(bundles);
await writeFile(join(bundles, 'sync-rules', 'rule-set.json'), JSON.stringify(packedRuleSet(ruleSet)));

const app = new App();
for (const stage of config.stages) addStageStacks(app, { stage, ruleSet, bundles });
Tags.of(app).add('application', 'deltawatch');
app.synth();
