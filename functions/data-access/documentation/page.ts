import { createHash } from 'node:crypto';
import { html, raw } from 'hono/html';
import stringify from 'json-stringify-pretty-compact';
import { COUNTS, NUMBERS } from '../../../shared/contract/aggregations.ts';
import {
  ATTRIBUTES,
  attributeNames,
  isAttributeName,
  type Resource,
} from '../../../shared/contract/attributes.ts';
import { OPERATORS } from '../../../shared/contract/filters.ts';
import { COUNT_WORDS, numberWords, OPERATOR_WORDS, VALUE_WORDS } from '../../../shared/contract/glossary.ts';
import { OPERATIONS } from '../../../shared/contract/grouping.ts';
import { pascal, type Schema } from '../../../shared/contract/json-schema.ts';
import type { Html } from '../../../shared/pages/html.ts';
import { ICON, STYLE } from '../../../shared/pages/style.ts';
import { type Cell, table } from '../../../shared/pages/table.ts';
import { ENDPOINTS, type Endpoint } from '../endpoints/endpoints.ts';
import { DOCUMENTED_ERRORS } from './errors.ts';
import { EXAMPLE_APP, exampleBody, exampleOf } from './example-requests.ts';
import { openApi, operationOf, RESOURCE_NAMES, RESOURCES } from './openapi.ts';
import { queryOf, requestSchema } from './request-schemas.ts';
import { TOPICS } from './topics.ts';

const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');

/** The page contains its style sheet, loads nothing and runs no script. */
export const DOCS_HEADERS = {
  'Content-Security-Policy': `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
} as const;

interface Section {
  readonly id: string;
  readonly title: string;
  readonly content: Html;
}

/** The API reference. Its commands call the service at `origin`, such as `https://data.example.com`. */
export function docsPage(origin: string): Html {
  const sections: Section[] = [
    ...TOPICS.map(({ id, title, paragraphs }) => ({
      ...{ id, title },
      content: html`${paragraphs.map((text) => html`<p>${prose(text)}</p>`)}`,
    })),
    ...RESOURCE_NAMES.map((resource) => ({
      ...{ id: resource, title: `${pascal(resource)}s` },
      content: html`<p class="lead">${RESOURCES[resource]}</p>
${endpointsOf(resource).map((endpoint) => endpointPart(endpoint, origin))}${recordPart(resource)}`,
    })),
    { id: 'attributes', title: 'Attributes', content: attributes() },
    { id: 'operators', title: 'Operators', content: operators() },
    { id: 'metrics', title: 'Metrics', content: metrics() },
    { id: 'errors', title: 'Errors', content: errors() },
  ];
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Data access</title>
<link rel="icon" href="data:image/svg+xml,${encodeURIComponent(ICON)}">
<style>${raw(STYLE)}</style>
</head>
<body>
<a class="skip" href="#main">Skip to content</a>
<main id="main">
<h1>Data access</h1>
<p class="lead">What users did in an app, as records and as metrics. Read-only.</p>
<p>The commands on this page read the API key from the variable ${code('API_KEY')}. Replace ${code(EXAMPLE_APP)} with the id of your app. The OpenAPI document is at <a href="/openapi.json">${origin}/openapi.json</a>.</p>
<nav aria-label="Contents"><ul>${sections.map(({ id, title }) => html`<li><a href="#${id}">${title}</a></li>`)}</ul></nav>
${sections.map(({ id, title, content }) => html`<section aria-labelledby="${id}"><h2 id="${id}">${title}</h2>${content}</section>`)}
</main>
</body>
</html>`;
}

/** The endpoints of a resource, legacy ones last. */
const endpointsOf = (resource: Resource): Endpoint[] =>
  ENDPOINTS.filter((endpoint) => endpoint.resource === resource).toSorted(
    (a, b) => Number(a.style === 'legacy') - Number(b.style === 'legacy'),
  );

/** A sentence with `code` in backticks. */
const prose = (text: string): Html =>
  html`${text.split('`').map((part, at) => (at % 2 === 1 ? code(part) : part))}`;

const code = (text: string): Html => html`<code>${text}</code>`;

const listed = (names: readonly string[]): Html =>
  html`${names.map((name, at) => html`${at > 0 ? ', ' : ''}${code(name)}`)}`;

function endpointPart(endpoint: Endpoint, origin: string): Html {
  const { operationId, summary, description } = operationOf(endpoint);
  const { style, path } = endpoint;
  const title = `${summary}${style === 'legacy' ? ' (legacy)' : ''}`;
  return html`<article aria-labelledby="${operationId}">
<h3 id="${operationId}">${title}</h3>
<p><span class="badge">${style === 'legacy' ? 'GET' : 'POST'}</span> ${code(path)}</p>
<p>${prose(description)}</p>
${table(`Request: ${title}`, ['Field', 'Meaning'], fieldsOf(endpoint))}
<details>
<summary>${exampleOf(endpoint).summary}</summary>
${listing('Command', curlOf(origin, endpoint))}
</details>
</article>`;
}

/** The fields of the records of a resource, if it has a list. */
function recordPart(resource: Resource): Html | undefined {
  const schema = openApi().components.schemas[`${pascal(resource)}Record`];
  return schema && table(`Record: ${resource}`, ['Field', 'Meaning'], recordFields(schema));
}

/** A field of a field is named with both: `device.model`. */
const recordFields = ({ properties = {} }: Schema, above = ''): Cell[][] =>
  Object.entries(properties).flatMap(([name, field]) => {
    if (typeof field === 'boolean') return [];
    if (field.properties) return recordFields(field, `${above}${name}.`);
    return [[code(`${above}${name}`), prose(field.description ?? '')]];
  });

function fieldsOf(endpoint: Endpoint): Cell[][] {
  if (endpoint.style === 'legacy')
    return queryOf(endpoint).map(({ name, description }) => [code(name), prose(description)]);
  const { properties = {} } = requestSchema(endpoint);
  return Object.entries(properties).map(([name, field]) => [
    code(name),
    prose(typeof field === 'object' ? (field.description ?? '') : ''),
  ]);
}

/** Preformatted text. It is focusable, so that wide lines can be scrolled with the keyboard. */
const listing = (label: string, text: string): Html =>
  html`<pre tabindex="0" role="region" aria-label="${label}"><code>${text}</code></pre>`;

/** JSON with each part on one line if it fits. */
const compactJson = (value: unknown): string => stringify(value, { maxLength: 92 });

/** The command that sends the example of an endpoint to `origin`. It reads the API key from the variable `API_KEY`. */
export function curlOf(origin: string, endpoint: Endpoint): string {
  const { style, path } = endpoint;
  const example = exampleOf(endpoint);
  const address = shellWord(`${origin}${path}`);
  const key = '-H "X-Api-Key: $API_KEY"';
  const parts =
    style === 'legacy'
      ? [`curl -G ${address}`, key, `-d appid=${EXAMPLE_APP}`, ...parametersOf(example.request)]
      : [
          ...[`curl ${address}`, key, `-H ${shellWord('Content-Type: application/json')}`],
          `-d ${shellWord(compactJson(exampleBody(example)))}`,
        ];
  // A string in JSON has no line break, so this indents the lines of JSON only.
  return parts.join(' \\\n').replaceAll('\n', '\n  ');
}

const parametersOf = (request: Readonly<Record<string, unknown>>): string[] =>
  Object.entries(request).map(
    ([name, value]) => `--data-urlencode ${shellWord(`${name}=${compactJson(value)}`)}`,
  );

function attributes(): Html {
  const on = (use: 'filtersOn' | 'groupsOn', name: string) =>
    RESOURCE_NAMES.filter((resource) => attributeNames(resource, use).some((each) => each === name)).join(
      ', ',
    );
  const rows = Object.keys(ATTRIBUTES)
    .filter(isAttributeName)
    .map((name) => [
      ...[code(name), ATTRIBUTES[name].type],
      `${ATTRIBUTES[name].means}${ATTRIBUTES[name].listOnly ? '; lists only' : ''}`,
      ...[on('filtersOn', name), on('groupsOn', name)],
    ]);
  return table('Attributes', ['Attribute', 'Type', 'Meaning', 'Filters', 'Groups'], rows);
}

function operators(): Html {
  const types = Object.entries(OPERATORS).map(([type, names]) => [
    type,
    prose(VALUE_WORDS[type as keyof typeof OPERATORS]),
    listed(names),
  ]);
  const words = Object.entries(OPERATOR_WORDS).map(([name, means]) => [code(name), means]);
  return html`${table('Operators by attribute type', ['Type', 'Value', 'Operators'], types)}
${table('Meaning of each operator', ['Operator', 'The attribute'], words)}`;
}

function metrics(): Html {
  const rows = RESOURCE_NAMES.flatMap((resource) => [
    ...COUNTS[resource].map((name) => [code(name), resource, COUNT_WORDS[name]]),
    ...NUMBERS[resource].map((name) => [code(name), resource, `${numberWords(name)}; needs an operator`]),
  ]);
  return html`<p>${prose('A metric with an operator is written as `{"attribute": "session_duration", "operator": "avg"}` or, in short, `{"attribute": "avg_session_duration"}`. Rows return it as `avg_session_duration`.')} The operators are ${listed(OPERATIONS)}.</p>
${table('Metrics', ['Metric', 'Of', 'Meaning'], rows)}`;
}

const errors = (): Html =>
  table(
    'Error codes',
    ['Code', 'Status', 'Meaning'],
    DOCUMENTED_ERRORS.map(({ code: name, status, meaning }) => [code(name), status, prose(meaning)]),
  );

function shellWord(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
