import { parse } from 'yaml';

/** A text as a YAML value that is valid in a flow map: plain where possible, else quoted. */
export function inYaml(text: string): string {
  const isPlain =
    /^[\p{L}\p{N}_][\p{L}\p{N}_. -]*$/u.test(text) && !text.endsWith(' ') && parse(text) === text;
  return isPlain ? text : JSON.stringify(text);
}
