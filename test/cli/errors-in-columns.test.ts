import { expect, test } from 'vitest';
import { Command, errorText, withUsage } from '../../cli/terminal/command.ts';

test('errorText wraps an error at 80 columns, but not quoted lines of files', () => {
  const message = `error: ${'word '.repeat(30)}end`;
  const quoted = `\n\nrules/a.yaml:1:1 wrong\n  1 | ${'x '.repeat(60)}\n      ^`;
  const wrapped = errorText(message + quoted);
  expect(wrapped.endsWith(quoted)).toBe(true);
  const lines = wrapped.slice(0, -quoted.length).split('\n');
  expect(lines.map((line) => line.length <= 80)).toEqual([true, true, true]);
  expect(lines.join(' ').replaceAll(/ +/g, ' ')).toBe(message);
  expect(errorText('error: 2 segments fire: say --all\n  DE\n  FR')).toBe(
    'error: 2 segments fire: say --all\n  DE\n  FR',
  );
});

test('usage errors wrap at 80 columns, for subcommands too', () => {
  const errors: string[] = [];
  const outer = withUsage(new Command('outer')).configureOutput({ writeErr: (text) => errors.push(text) });
  const inner = outer.command('inner').requiredOption(`--${'long-'.repeat(9)}name <word>`, 'a word');
  inner.requiredOption('--other <word>', 'another');
  const option = `--${'long-'.repeat(9)}name`;
  expect(() => outer.parse(['inner'], { from: 'user' })).toThrow();
  expect(errors[0]).toMatch(new RegExp(`^error: required option '${option}\n {2}<word>' not specified\n$`));
});
