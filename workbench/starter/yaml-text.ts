import { parse } from 'yaml';

/** A text as a value of YAML that stands within braces as well: plain where that means the same, else in quotes. */
export function inYaml(text: string): string {
  const isPlain =
    /^[\p{L}\p{N}_][\p{L}\p{N}_. -]*$/u.test(text) && !text.endsWith(' ') && parse(text) === text;
  return isPlain ? text : JSON.stringify(text);
}
