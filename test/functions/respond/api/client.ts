import { Ajv2020 } from 'ajv/dist/2020.js';
import * as z from 'zod';
import { openApi } from '../../../../functions/respond/api/openapi.ts';

// A client that knows only the OpenAPI document, and checks that the service keeps to it.

const schemaSchema = z.record(z.string(), z.unknown());
const parameterSchema = z.object({ name: z.string(), in: z.enum(['path', 'query']) });
const operationSchema = z.object({
  operationId: z.string(),
  parameters: z.array(parameterSchema),
  requestBody: z
    .object({ content: z.object({ 'application/json': z.object({ schema: schemaSchema }) }) })
    .optional(),
  responses: z.record(z.string(), z.object({ content: z.record(z.string(), z.unknown()).optional() })),
});
const documentSchema = z.object({
  openapi: z.literal('3.1.1'),
  servers: z.tuple([z.object({ url: z.string() })]),
  paths: z.record(z.string(), z.record(z.string(), operationSchema)),
});

export const document = documentSchema.parse(openApi());
const [{ url: root }] = document.servers;

const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, ...operation })),
);
export const OPERATIONS = operations.map(({ operationId, method }) => ({ operationId, method }));

const ajv = new Ajv2020({ strict: false, allErrors: true });
ajv.addFormat('date-time', (text) => z.iso.datetime({ offset: true }).safeParse(text).success);
ajv.addSchema({ $id: 'document', ...openApi() });

/** Whether the document says that the operation takes this body. */
export function takes(name: string, body: unknown): boolean {
  const operation = operations.find(({ operationId }) => operationId === name);
  return ajv.validate(operation?.requestBody?.content['application/json'].schema ?? false, body);
}

export interface Call {
  token?: string | undefined;
  body?: unknown;
  headers?: Record<string, string>;
  [parameter: string]: unknown;
}

const rowSchema = z.looseObject({
  id: z.string(),
  title: z.string().default(''),
  segment: z.string().nullish(),
});
/** What tests read of bodies. The document describes all of them. */
const bodySchema = z.looseObject({
  data: z.array(rowSchema).default([]),
  nextCursor: z.string().nullish(),
  mayAnswer: z.array(z.string()).default([]),
  answers: z.array(z.unknown()).default([]),
  until: z.string().optional(),
});
interface Answer {
  status: number;
  headers: Headers;
  text: string;
  /** Empty if the answer has no content. */
  body: z.output<typeof bodySchema>;
}

/** Calls an operation by its name. Throws if the answer is not as the document says. */
export function clientOf(fetch: (path: string, init: RequestInit) => Response | Promise<Response>) {
  return async (name: string, { token, body, headers, ...given }: Call = {}): Promise<Answer> => {
    const operation = operations.find(({ operationId }) => operationId === name);
    if (!operation) throw new Error(`the document has no operation ${name}`);
    const { path, method, parameters, responses } = operation;
    const query = new URLSearchParams();
    let filled = path;
    for (const { name, in: place } of parameters) {
      const value = given[name];
      if (place === 'path') filled = filled.replace(`{${name}}`, encodeURIComponent(String(value)));
      else for (const each of [value].flat()) if (each !== undefined) query.append(name, String(each));
    }
    const response = await fetch(`${root}${filled}${query.size > 0 ? `?${query}` : ''}`, {
      method: method.toUpperCase(),
      headers: {
        ...(token !== undefined && { Authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const { status } = response;
    const text = await response.text();
    const described = responses[status];
    if (!described) throw new Error(`${name} answered ${status}, which is not described: ${text}`);
    if (!described.content) return { status, headers: response.headers, text, body: bodySchema.parse({}) };
    const type = response.headers.get('Content-Type') ?? '';
    if (!(type in described.content)) throw new Error(`${name} answered ${status} as ${type}`);
    const answer: unknown = JSON.parse(text);
    const schema = JSON.stringify(described.content[type]).replaceAll(
      '#/components/',
      'document#/components/',
    );
    const isValid = ajv.compile(z.object({ schema: schemaSchema }).parse(JSON.parse(schema)).schema);
    if (!isValid(answer)) throw new Error(`${name}: ${ajv.errorsText(isValid.errors)} in ${text}`);
    return { status, headers: response.headers, text, body: bodySchema.parse(answer) };
  };
}
