import type { Schema } from './json-schema.ts';

// The part of OpenAPI 3.1 that this service uses.

type Named<T> = Readonly<Record<string, T>>;

export type NamedExamples = Named<{ readonly summary: string; readonly value: unknown }>;

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
  /** For a parameter whose value is JSON. */
  readonly content?: JsonContent;
}

export interface ResponseObject {
  readonly description: string;
  readonly headers: Named<{ readonly $ref: string }>;
  readonly content: JsonContent;
}

export interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly security: readonly Named<readonly string[]>[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly required: true; readonly content: JsonContent };
  readonly responses: Named<ResponseObject>;
}

export interface OpenApi {
  readonly openapi: '3.1.1';
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly servers: readonly { readonly url: string }[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Named<Partial<Record<'get' | 'post', Operation>>>;
  readonly components: {
    readonly securitySchemes: Named<Named<string>>;
    readonly headers: Named<{ readonly description: string; readonly schema: Schema }>;
    readonly schemas: Named<Schema>;
  };
}
