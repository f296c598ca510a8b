import { Command } from 'commander';
import { expect, test } from 'vitest';
import { openFigures, withFigureOptions } from '../../../cli/options/figures.ts';
import { ManualClock } from '../../../shared/runtime/clock.ts';
import { DAY_MS } from '../../../shared/units/durations.ts';
import { MONDAY, ruleNamed, ruleSetOf } from '../../fixtures/builders.ts';
import { temporaryFolder } from '../../fixtures/deltawatch.ts';

const need = (app: string) => ({
  ruleSet: ruleSetOf(ruleNamed('a', { app })),
  from: MONDAY,
  to: MONDAY + DAY_MS,
  clock: new ManualClock(MONDAY + DAY_MS),
});

test.each<{ name: string; options: Record<string, string>; error: string }>([
  {
    name: 'an app without data',
    options: {},
    error:
      'there is no data for the app "shop": import it with "deltawatch data import", or use --data, or --service with --key-secret',
  },
  {
    name: 'a service without the name of its key',
    options: { service: 'https://data.example.com' },
    error: '--service requires --key-secret, the name of the secret that holds the API key of the service',
  },
  {
    name: 'a service without a valid URL',
    options: { service: 'data.example.com', keySecret: 'shop-key' },
    error: '--service requires a URL such as https://data.example.com',
  },
  {
    name: 'a key without its service',
    options: { keySecret: 'shop-key' },
    error: '--key-secret requires --service: local data needs no key',
  },
])('openFigures rejects $name and says what to do', async ({ options, error }) => {
  await expect(openFigures({ seed: 1, ...options }, need('shop'))).rejects.toThrow(error);
});

test('openFigures names a folder that lacks the app', async () => {
  await using folder = await temporaryFolder();
  await expect(openFigures({ seed: 1, data: folder.path }, need('shop'))).rejects.toThrow(
    `${folder.path} has no data for the app "shop"`,
  );
});

test('--data and --service cannot be combined', () => {
  const command = withFigureOptions(
    new Command('any').exitOverride().configureOutput({ writeErr: () => {} }),
  );
  const parse = () => command.parse(['--data', 'x', '--service', 'https://a.example'], { from: 'user' });
  expect(parse).toThrow("option '--service <url>' cannot be used with option '--data <dir>'");
});
