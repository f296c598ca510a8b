import { Ajv2020 } from 'ajv/dist/2020.js';
import * as z from 'zod';
import { openApi, type operationOf } from '../../../../functions/data-access/documentation/openapi.ts';
import type { Endpoint } from '../../../../functions/data-access/endpoints/endpoints.ts';
import type { Schema } from '../../../../shared/contract/json-schema.ts';

// Reads the OpenAPI document like a client.

type Operation = ReturnType<typeof operationOf>;

export const document = openApi();

const ajv = new Ajv2020({ strict: false, validateFormats: true, allErrors: true });
ajv.addFormat('date', (text) => z.iso.date().safeParse(text).success);
ajv.addFormat('date-time', (text) => z.iso.datetime({ offset: true }).safeParse(text).success);
ajv.addFormat('uri', (text) => URL.canParse(text));
ajv.addSchema({ $id: 'document', ...document });

/** The errors of a value against a schema of the document. */
export function checkerOf(schema: Schema): (value: unknown) => unknown[] {
  const references = JSON.stringify(schema).replaceAll('#/components/', 'document#/components/');
  const isValid = ajv.compile(JSON.parse(references));
  return (value) => (isValid(value) ? [] : (isValid.errors ?? []));
}

export function operationAt({ path, style }: Endpoint): Operation {
  const operation = document.paths[path]?.[style === 'legacy' ? 'get' : 'post'];
  if (!operation) throw new Error(`${path} is not described`);
  return operation;
}

export const contentOf = (operation: Operation) => {
  const content = operation.responses[200]?.content?.['application/json'];
  if (!content) throw new Error(`${operation.operationId} has no answer`);
  return content;
};

/** The schema of the request of an endpoint, without credentials. */
export function requestSchemaOf(endpoint: Endpoint): Schema {
  const { requestBody, parameters = [] } = operationAt(endpoint);
  if (requestBody) return requestBody.content['application/json'].schema;
  const properties = parameters
    .filter(({ name }) => name !== 'appid')
    .map((parameter) => [
      parameter.name,
      'content' in parameter ? parameter.content['application/json'].schema : parameter.schema,
    ]);
  return { type: 'object', properties: Object.fromEntries(properties), additionalProperties: false };
}

/** A value of each field that the endpoint requires, other than `app_id`. */
export function requiredBy({ read }: Endpoint): Record<string, unknown> {
  if (read === 'funnel')
    return { steps: [{ event_name: 'purchase' }, { event_name: 'purchase' }], within_minutes: 60 };
  return read === 'retention' ? { days: [1, 7] } : {};
}
