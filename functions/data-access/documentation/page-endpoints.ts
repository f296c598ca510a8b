import { html } from 'hono/html';
import stringify from 'json-stringify-pretty-compact';
import { shellWord } from '../../../shared/runtime/shell-word.ts';
import { ENDPOINTS, type Endpoint } from '../endpoints/endpoints.ts';
import { EXAMPLE_APP, type Example, exampleBody, examplesOf } from './example-requests.ts';
import { pascal, type Schema } from './json-schema.ts';
import type { OpenApi } from './openapi-model.ts';
import { operationOf } from './operations.ts';
import { type Cell, code, type Html, heading, listing, prose, table } from './page-parts.ts';
import { APP_ID, requestSchema } from './request-schemas.ts';
import { exampleResponse, hasCursor } from './responses.ts';

/** The endpoints of a resource, legacy ones last. */
export const endpointsOf = (resource: string): Endpoint[] =>
  ENDPOINTS.filter((endpoint) => endpoint.resource === resource).sort(
    (a, b) => Number(a.style === 'legacy') - Number(b.style === 'legacy'),
  );

/** The endpoints of one resource, and the fields of its record. */
export function resourceSection({ tags, components }: OpenApi, resource: string, origin: string): Html {
  const record = components.schemas[`${pascal(resource)}Record`];
  const title = `${pascal(resource)} record`;
  return html`<section aria-labelledby="${resource}">
${heading(2, resource, `${pascal(resource)}s`)}
<p class="lead">${tags.find(({ name }) => name === resource)?.description}</p>
${endpointsOf(resource).map((endpoint) => endpointPart(endpoint, origin))}
${
  record &&
  html`${heading(3, `${resource}-record`, title)}
${table(`Fields: ${title}`, ['Field', 'Type', 'Meaning'], recordRows(record, ''))}`
}
</section>`;
}

function endpointPart(endpoint: Endpoint, origin: string): Html {
  const { operationId, summary, description } = operationOf(endpoint);
  const { style, path, resource, read } = endpoint;
  const method = style === 'legacy' ? 'GET' : 'POST';
  return html`<article class="endpoint" aria-labelledby="${operationId}">
${heading(3, operationId, html`${summary}${style === 'legacy' && html` <span class="badge">legacy</span>`}`)}
<p class="address"><span class="method ${method.toLowerCase()}">${method}</span> ${code(path)}</p>
<p>${prose(description)}</p>
${requestTable(endpoint, `Request: ${summary}`)}
${examplesOf(resource, read).map(
  (example, at) => html`<details${at === 0 && style === 'body' ? html` open` : ''}>
<summary>${example.summary}</summary>
${listing(`Command: ${example.summary}`, curlOf(origin, endpoint, example))}
<p class="quiet">Response</p>
${listing(`Response: ${example.summary}`, compactJson(exampleResponse(example, hasCursor(endpoint))))}
</details>`,
)}
</article>`;
}

function requestTable(endpoint: Endpoint, caption: string): Html {
  const { properties = {}, required = [] } = requestSchema(endpoint);
  const isLegacy = endpoint.style === 'legacy';
  const fields = Object.entries({ ...(isLegacy && { [APP_ID.name]: appIdSchema }), ...properties });
  const rows = fields.map(([name, field]) => {
    const schema = asObject(field);
    const byDefault = required.includes(name) ? 'required' : defaultOf(schema);
    return [code(name), typeOf(schema), byDefault, prose(schema.description ?? '')];
  });
  return table(caption, [isLegacy ? 'Parameter' : 'Field', 'Type', 'Default', 'Meaning'], rows);
}

const appIdSchema: Schema = { ...APP_ID.schema, description: APP_ID.description };

const asObject = (schema: Schema | boolean): Schema => (typeof schema === 'boolean' ? {} : schema);

const MAX_DEFAULT_LENGTH = 40;

function defaultOf({ default: value }: Schema): Cell {
  if (value === undefined || (Array.isArray(value) && value.length === 0)) return '';
  const text = JSON.stringify(value);
  return text.length > MAX_DEFAULT_LENGTH ? 'see Metrics' : code(text);
}

/** The type of a field, in a few words. */
function typeOf(schema: Schema): Html {
  const { items = {}, minimum, maximum } = schema;
  if (schema.enum) return prose(choices(schema.enum, ' or '));
  if (schema.type === 'array') {
    const { enum: values } = Array.isArray(items) ? {} : asObject(items);
    return prose(values ? `list of ${choices(values, ', ')}` : 'list of objects');
  }
  const range = minimum !== undefined && maximum !== undefined ? ` ${minimum}–${maximum}` : '';
  return prose(`${typeName(schema)}${range}`);
}

const choices = (values: readonly unknown[], separator: string): string =>
  values.map((value) => `\`${value}\``).join(separator);

function typeName({ type, format, anyOf }: Schema): string {
  if (format === 'date-time') return 'timestamp';
  if (anyOf) return anyOf.map((each) => typeName(asObject(each))).join(' or ');
  return (Array.isArray(type) ? type : [type ?? 'any']).join(' or ');
}

/** One row per field of a record; a nested field is named by its full path. */
function recordRows({ properties = {} }: Schema, prefix: string): Html[][] {
  return Object.entries(properties).flatMap(([name, field]) => {
    const schema = asObject(field);
    const isMap = schema.properties === undefined || schema.additionalProperties !== false;
    return isMap
      ? [[code(`${prefix}${name}`), typeOf(schema), prose(schema.description ?? '')]]
      : recordRows(schema, `${prefix}${name}.`);
  });
}

/** JSON with each part on one line if it fits. */
const compactJson = (value: unknown): string => stringify(value, { maxLength: 92 });

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
