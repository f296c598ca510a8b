import { join, resolve } from 'node:path';
import { loadProject } from '../shared/config/load-config.ts';
import { loadRules } from '../shared/rule-files/yaml-rule-files.ts';
import { bundleFunctions } from './bundles.ts';
import { bundlesDir } from './function-bundles.ts';
import { stageApp } from './stage-app.ts';

// An invalid configuration or rule fails here, before anything is deployed.
const { dir, config } = await loadProject(join(import.meta.dirname, '..'));
const rules = await loadRules(resolve(dir, config.rules));

await bundleFunctions(bundlesDir());
stageApp({ stages: config.stages, rules }).app.synth();
