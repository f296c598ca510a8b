import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { previewCommand } from '../../../cli/rules/preview.ts';
import { suggestCommand } from '../../../cli/testing/suggest.ts';
import { InvalidRequestError } from '../../../shared/runtime/errors.ts';
import { temporaryFolder } from '../../fixtures/deltawatch.ts';

const ROUTES = 'channels: { team: { slack: { webhook_secret: team } } }\ndefault: [team]\n';
const RULES = `
defaults: { app: shop, owner: growth, every: day at 07:00 }
rules:
  - { id: signups, title: Signups, metric: event_count, compare: { to: same_weekday }, fire: { change: { below: -20% } } }
  - { id: unusual, title: Unusual, metric: event_count, anomaly: true }
  - { id: both, title: Both, all_of: [signups, unusual] }
`;

type Build = typeof suggestCommand;

test.each<[Build, string, string | RegExp]>([
  [suggestCommand, 'both', 'both watches other rules and has no bounds: run suggest for its members'],
  [suggestCommand, 'unusual', 'unusual has no bounds: it detects anomalies'],
  [
    previewCommand,
    'signup',
    /^there is no rule "signup" in the folder .* \(use --rules for another\); did you mean "signups"\?$/,
  ],
])('%o of %s fails with one sentence', async (build, id, said) => {
  await using folder = await temporaryFolder();
  await writeFile(join(folder.path, 'routes.yaml'), ROUTES);
  await writeFile(join(folder.path, 'rules.yaml'), RULES);
  const asked = build().parseAsync([id, '--rules', folder.path], { from: 'user' });
  await expect(asked).rejects.toThrow(InvalidRequestError);
  await expect(asked).rejects.toThrow(said);
});
