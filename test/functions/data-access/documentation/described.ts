import * as z from 'zod';
import type { Schema } from '../../../../functions/data-access/documentation/json-schema.ts';
import { openApi, type operationOf } from '../../../../functions/data-access/documentation/openapi.ts';
import type { Endpoint } from '../../../../functions/data-access/endpoints/endpoints.ts';

// Reads the OpenAPI document like a client.

type Operation = ReturnType<typeof operationOf>;

export const document = openApi();

const DEFINITIONS: unknown = JSON.parse(inPlace(document.components.schemas));

/** Rewrites references to components for use in one JSON Schema. */
function inPlace(schema: unknown): string {
  return JSON.stringify(schema).replaceAll('#/components/schemas/', '#/$defs/');
}

/** A Zod schema that accepts what the schema of the document accepts. */
export function validatorOf(schema: Schema): z.ZodType {
  const whole = { $schema: 'https://json-schema.org/draft/2020-12/schema', $defs: DEFINITIONS };
  return z.fromJSONSchema({ ...whole, ...JSON.parse(inPlace(schema)) });
}

export function operationAt({ path, style }: Endpoint): Operation {
  const operation = document.paths[path]?.[style === 'legacy' ? 'get' : 'post'];
  if (!operation) throw new Error(`${path} is not described`);
  return operation;
}

export const contentOf = (operation: Operation) => {
  const content = operation.responses[200]?.content['application/json'];
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
