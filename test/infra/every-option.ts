import { loadRules } from '../../infra/cdk.ts';
import { bundlesDir } from '../../infra/function-bundles.ts';
import { stageApp } from '../../infra/stage-app.ts';
import { addCompany, EVERY_OPTION } from '../fixtures/every-option.ts';

// Templates with every option, for cfn-lint. It needs the bundles that "npm run check:synth" makes.
const { app } = stageApp({
  ...{ stages: [...EVERY_OPTION], rules: await loadRules('rules'), bundles: bundlesDir() },
  duckDbLibrary: `node_modules/@duckdb/node-bindings-${process.platform}-${process.arch}`,
  outdir: 'cdk.out/every-option',
});
addCompany(app);
app.synth();
