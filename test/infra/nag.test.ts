import { Bucket } from 'aws-cdk-lib/aws-s3';
import { AwsSolutionsChecks, HIPAASecurityChecks, type NagPack, NIST80053R5Checks } from 'cdk-nag';
import { describe, expect, test } from 'vitest';
import type { Stage } from '../../shared/config/stage.ts';
import { loadRuleFiles } from '../../shared/rule-files/yaml-rule-files.ts';
import { addCompany, EVERY_OPTION } from '../fixtures/every-option.ts';
import { STAGES } from '../fixtures/stages.ts';
import { appWith } from './synthesis.ts';

/** An app with the stage and the rules of this repository. */
async function appOf(stage: Stage) {
  const loaded = await loadRuleFiles('rules');
  if (loaded.kind === 'problems') throw new Error('the rules are wrong');
  return appWith(loaded.ruleSet, [stage]);
}

/** `rule at path` of each finding that is not acknowledged. */
function findingsIn(
  { app }: ReturnType<typeof appWith>,
  Pack: new () => NagPack = AwsSolutionsChecks,
): string[] {
  const { violations } = new Pack().validateScope(app);
  return violations.flatMap(({ ruleName, violatingResources }) =>
    violatingResources.map(({ constructPath }) => `${ruleName} at ${constructPath}`),
  );
}

const ALL = STAGES.flatMap(({ dataAccess, ...stage }): Stage[] => {
  if (dataAccess.kind !== 'own') throw new Error(`${stage.name} has no data access service of its own`);
  const onAthena = {
    ...stage,
    name: `${stage.name}-large`,
    dataAccess: { ...dataAccess, engine: 'athena' as const },
  };
  return [{ ...stage, dataAccess }, onAthena];
});

// CONTRIBUTING.md says what to do about a finding.
test.each(ALL)('cdk-nag reports no finding in $name that is not acknowledged', async (stage) => {
  using made = await appOf(stage);
  expect(findingsIn(made)).toEqual([]);
});

test.each(STAGES)('cdk-nag reports a new problem in $name', async (stage) => {
  using made = await appOf(stage);
  const { data } = made.added[0]?.stacks ?? {};
  if (!data) throw new Error('the stage has no data of its own');
  new Bucket(data, 'Open');
  const place = `deltawatch-${stage.name}/data/Open/Resource`;
  expect(findingsIn(made)).toEqual([`AwsSolutions-S1 at ${place}`, `AwsSolutions-S10 at ${place}`]);
});

const STRICT = { NIST80053R5Checks, HIPAASecurityChecks };

describe.each(Object.entries(STRICT))('%s', (_, Pack) => {
  test.each(EVERY_OPTION)('reports nothing in $name with every option', async (stage) => {
    using made = await appOf(stage);
    addCompany(made.app);
    expect(findingsIn(made, Pack)).toEqual([]);
  });

  test('reports without them only what they are for', async () => {
    const [first] = STAGES;
    if (!first) throw new Error('no stage');
    using made = await appOf(first);
    const rules = findingsIn(made, Pack).map((finding) => /-(\w+) at/.exec(finding)?.[1]);
    expect([...new Set(rules)].toSorted()).toEqual([
      'CloudWatchLogGroupEncrypted',
      'LambdaConcurrency',
      'LambdaInsideVPC',
      'S3DefaultEncryptionKMS',
      'SNSEncryptedKMS',
      'SecretsManagerUsingKMSKey',
    ]);
  });
});
