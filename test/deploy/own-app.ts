import { readFileSync } from 'node:fs';
import { App, Stack } from 'aws-cdk-lib';
import { ManagedPolicy, PermissionsBoundary } from 'aws-cdk-lib/aws-iam';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { Deltawatch, loadRules } from '../../infra/cdk.ts';

/** An app of a team with a stack of its own, and in it the stage of the file `stage.json`. */
const app = new App();
const platform = new Stack(app, 'Platform');
new Topic(platform, 'Own');
const rules = await loadRules('rules');
const alerts = new Deltawatch(platform, 'Alerts', {
  ...JSON.parse(readFileSync('stage.json', 'utf8')),
  rules,
});
const boundary = 'arn:aws:iam::aws:policy/PowerUserAccess';
PermissionsBoundary.of(alerts).apply(ManagedPolicy.fromManagedPolicyArn(alerts, 'Boundary', boundary));
app.synth();
