import type { Example } from './example-requests.ts';
import type { Schema } from './json-schema.ts';

// As much of OpenAPI 3.1 as the description of this service uses.

export interface NamedExamples {
  readonly [name: string]: { readonly summary: string; readonly value: unknown };
}

export interface JsonContent {
  readonly 'application/json': { readonly schema: Schema; readonly examples?: NamedExamples };
}

export interface Parameter {
  readonly name: string;
  readonly in: 'query';
  readonly description: string;
  readonly required: boolean;
  readonly schema?: Schema;
  readonly examples?: NamedExamples;
  /** Of parameters that hold JSON. */
  readonly content?: JsonContent;
}

export interface Answered {
  readonly description: string;
  readonly headers: Readonly<Record<string, { readonly $ref: string }>>;
  readonly content: JsonContent;
}

export interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly required: true; readonly content: JsonContent };
  readonly responses: Readonly<Record<string, Answered>>;
}

export interface OpenApi {
  readonly openapi: '3.1.1';
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly servers: readonly { readonly url: string }[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Partial<Record<'get' | 'post', Operation>>>>>;
  readonly components: {
    readonly securitySchemes: Readonly<Record<string, Readonly<Record<string, string>>>>;
    readonly headers: Readonly<Record<string, { readonly description: string; readonly schema: Schema }>>;
    readonly schemas: Readonly<Record<string, Schema>>;
  };
}

export const namedExamples = (
  examples: readonly Example[],
  shown: (example: Example) => unknown,
): NamedExamples =>
  Object.fromEntries(
    examples.map((example) => [example.name, { summary: example.summary, value: shown(example) }]),
  );
