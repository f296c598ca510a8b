import type { Operation } from './openapi-model.ts';
import { compactJson } from './page-parts.ts';

/** Where a request goes. */
export interface Place {
  readonly origin: string;
  readonly path: string;
}

/** The command that asks an example; the key is taken from the variable `API_KEY`. */
export function curlOf({ origin, path }: Place, operation: Operation, example: string): string {
  const address = quoted(`${origin}${path}`);
  const body = operation.requestBody?.content['application/json'].examples?.[example]?.value;
  const lines =
    body === undefined
      ? [`curl -G ${address}`, '-d "apikey=$API_KEY"', ...queryOf(operation, example)]
      : [
          `curl ${address}`,
          '-H "X-Api-Key: $API_KEY"',
          `-H ${quoted('Content-Type: application/json')}`,
          `-d ${quoted(compactJson(body, '  '))}`,
        ];
  return lines.join(' \\\n  ');
}

function queryOf({ parameters = [] }: Operation, example: string): string[] {
  return parameters.flatMap(({ name, examples, content }) => {
    const named = examples ?? content?.['application/json'].examples ?? {};
    const shown = name === 'appid' ? Object.values(named)[0] : named[example];
    if (shown === undefined) return [];
    const text = content ? compactJson(shown.value, '  ') : String(shown.value);
    return [content ? `--data-urlencode ${quoted(`${name}=${text}`)}` : `-d ${name}=${text}`];
  });
}

/** One word of a shell, whatever is in it. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
