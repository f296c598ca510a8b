import { styleText } from 'node:util';

type Style = Parameters<typeof styleText>[0];

/** Colours text for terminals, unless NO_COLOR is set. For other streams only if FORCE_COLOR is set. */
function inStyle(style: Style) {
  return (text: string, stream: NodeJS.WritableStream = process.stdout): string =>
    styleText(style, text, { stream });
}

export const heading = inStyle('bold');
export const good = inStyle('green');
export const bad = inStyle('red');
export const doubtful = inStyle('yellow');
const mild = inStyle('cyan');

export function bySeverity(severity: string, text: string): string {
  if (severity === 'critical' || severity === 'error') return bad(text);
  return severity === 'warning' ? doubtful(text) : mild(text);
}
