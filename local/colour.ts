import { styleText } from 'node:util';

type Style = Parameters<typeof styleText>[0];

/** Colours a text where `stream` is a terminal, unless NO_COLOR says otherwise; elsewhere only if FORCE_COLOR does. */
function inStyle(style: Style) {
  return (text: string, stream: NodeJS.WritableStream = process.stdout): string =>
    styleText(style, text, { stream });
}

export const heading = inStyle('bold');
export const good = inStyle('green');
export const bad = inStyle('red');
export const doubtful = inStyle('yellow');
const mild = inStyle('cyan');

/** A severity in its colour. */
export function bySeverity(severity: string, text: string): string {
  if (severity === 'critical' || severity === 'error') return bad(text);
  return severity === 'warning' ? doubtful(text) : mild(text);
}
