import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { workflowText } from '../../../workbench/starter/github-workflow.ts';

const COMMAND = /npx deltawatch [^\n|>]*/g;

test('workflowText is the template for the default folder', async () => {
  const template = await readFile('templates/github-actions/deltawatch-rules.yml', 'utf8');
  expect(await workflowText('rules')).toBe(template);
});

test('workflowText names another folder in each command', async () => {
  const commands = (await workflowText('alerts/shop')).match(COMMAND) ?? [];
  const parts = commands.map((command) => command.split(' ').slice(2).join(' '));
  expect(parts.map((words) => words.split(' ')[0]).sort()).toEqual([
    'apply',
    'backtest',
    'check',
    'plan',
    'test',
  ]);
  for (const words of parts) expect(words).toMatch(/^(test alerts\/shop|\w+ --rules alerts\/shop .*)$/);
});
