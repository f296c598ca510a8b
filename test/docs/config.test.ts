import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { configSchema } from '../../shared/config/config.ts';
import { stageSchema } from '../../shared/config/stage.ts';
import { deltawatch, temporaryFolder } from '../fixtures/deltawatch.ts';
import { documentAt } from './documents.ts';

const document = documentAt('docs/reference/config.md');
const pages = ['sql-tables', 'posthog'].map((name) => documentAt(`docs/how-to/${name}.md`).text);

test.each(document.blocks.filter(({ language }) => language === 'ts'))(
  '$place is a valid configuration',
  async ({ text }) => {
    await using folder = await temporaryFolder();
    await writeFile(join(folder.path, 'deltawatch.config.ts'), text);
    const { stderr } = await deltawatch(['check'], folder.path);
    // The folder has no rules: the configuration is valid.
    expect(stderr).toMatch(/^error: .*rules/);
  },
);

/** The keys of an object, of its nested objects and of the forms of its unions. */
function keysOf(schema: unknown): string[] {
  if (schema instanceof z.ZodPipe) return keysOf(schema.in);
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault)
    return keysOf(schema.unwrap());
  if (schema instanceof z.ZodUnion) return schema.options.flatMap(keysOf);
  if (!(schema instanceof z.ZodObject)) return [];
  return Object.entries(schema.shape).flatMap(([key, value]) => [key, ...keysOf(value)]);
}

test.each([...new Set([...keysOf(configSchema), ...keysOf(stageSchema)])])(
  'the key "%s" is described',
  (key) => {
    expect([document.text, ...pages].join('\n')).toMatch(new RegExp(`\\b${key}\\b`));
  },
);
