import { html } from 'hono/html';
import { curlOf } from './curl.ts';
import type { OpenApi, Operation } from './openapi-model.ts';
import { fieldsOf, takenBy } from './page-fields.ts';
import { code, compactJson, type Html, heading, listing, prose } from './page-parts.ts';

/** An endpoint where it is shown. */
export interface Shown {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

export function endpointsOf({ paths }: OpenApi, tag: string): Shown[] {
  return Object.entries(paths)
    .flatMap(([path, item]) =>
      Object.entries(item).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
    )
    .filter(({ operation }) => operation.tags.includes(tag))
    .sort((a, b) => Number(b.method === 'POST') - Number(a.method === 'POST'));
}

/** All that is asked of one resource, and what its records hold. */
export function resourceSection(api: OpenApi, tag: string, origin: string): Html {
  const title = titleOf(tag);
  const about = api.tags.find(({ name }) => name === tag)?.description ?? '';
  const record = api.components.schemas[`${title.slice(0, -1)}Record`];
  return html`<section aria-labelledby="${tag}">
${heading(2, tag, title)}
<p class="lead">${about}</p>
${endpointsOf(api, tag).map((shown) => endpointPart(shown, origin))}
${
  record &&
  html`${heading(3, `${tag}-record`, `The record of ${article(tag)}`)}
${fieldsOf(`Fields of the record of ${article(tag)}`, record)}`
}
</section>`;
}

export const titleOf = (tag: string): string => `${tag.slice(0, 1).toUpperCase()}${tag.slice(1)}s`;
const article = (tag: string): string => (tag === 'event' ? 'an event' : `a ${tag}`);

function endpointPart({ method, path, operation }: Shown, origin: string): Html {
  const { operationId, summary, description, responses } = operation;
  const examples = responses[200]?.content['application/json'].examples ?? {};
  return html`<article class="endpoint" aria-labelledby="${operationId}">
${heading(3, operationId, html`${summary}${method === 'GET' && html` <span class="badge">legacy</span>`}`)}
<p class="address"><span class="method ${method.toLowerCase()}">${method}</span> ${code(path)}</p>
<p>${prose(description)}</p>
${takenBy(operation)}
${Object.entries(examples).map(
  ([name, { summary: title, value }], at) => html`<details${at === 0 && method === 'POST' ? html` open` : ''}>
<summary>${title}</summary>
${listing(`Command: ${title}`, curlOf({ origin, path }, operation, name))}
<p class="quiet">is answered</p>
${listing(`Answer: ${title}`, compactJson(value))}
</details>`,
)}
</article>`;
}
