import { CfnWaitCondition, CfnWaitConditionHandle } from 'aws-cdk-lib';
import { loadRules } from '../../infra/cdk.ts';
import { stageApp } from '../../infra/stage-app.ts';
import { loadProject } from '../../shared/config/load-config.ts';

/**
 * The stages of the project in this folder, as an app of a team. With `-c fails=true`, a resource fails after the rules
 * were applied: it waits for a signal that nobody sends.
 */
const { config } = await loadProject(process.cwd());
const { app, added } = stageApp({ stages: config.stages, rules: await loadRules('rules') });
if (app.node.tryGetContext('fails') !== undefined)
  for (const { stacks } of added) {
    const handle = new CfnWaitConditionHandle(stacks.alerting, 'Handle').ref;
    const never = new CfnWaitCondition(stacks.alerting, 'Never', { handle, timeout: '1', count: 1 });
    never.node.addDependency(stacks.alerting.node.findChild('ApplyRules'));
  }
app.synth();
