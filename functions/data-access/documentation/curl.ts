import stringify from 'json-stringify-pretty-compact';
import { shellWord } from '../../../shared/runtime/shell-word.ts';
import type { Endpoint } from '../endpoints/endpoints.ts';
import { EXAMPLE_APP, type Example, exampleBody } from './example-requests.ts';

/** JSON with each part on one line if it fits. */
export const compactJson = (value: unknown): string => stringify(value, { maxLength: 92 });

/** The command that sends an example to `origin`. It reads the API key from the variable `API_KEY`. */
export function curlOf(origin: string, { style, path }: Endpoint, example: Example): string {
  const address = shellWord(`${origin}${path}`);
  const key = '-H "X-Api-Key: $API_KEY"';
  if (style === 'legacy')
    return joined([`curl -G ${address}`, key, `-d appid=${EXAMPLE_APP}`, ...parametersOf(example)]);
  const type = `-H ${shellWord('Content-Type: application/json')}`;
  return joined([`curl ${address}`, key, type, `-d ${shellWord(compactJson(exampleBody(example)))}`]);
}

const parametersOf = ({ request }: Example): string[] =>
  Object.entries(request).map(([name, value]) =>
    typeof value === 'object'
      ? `--data-urlencode ${shellWord(`${name}=${compactJson(value)}`)}`
      : `-d ${name}=${value}`,
  );

// A string in JSON has no line break, so this indents the lines of JSON only.
const joined = (parts: readonly string[]): string => parts.join(' \\\n').replaceAll('\n', '\n  ');
