import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import * as z from 'zod';
import { isRuleFile } from '../../shared/rule-files/yaml-rule-files.ts';

const fileSchema = z.object({ rules: z.array(z.object({ id: z.string().regex(/^[a-z0-9][a-z0-9-]*$/) })) });

/**
 * The rule ids in the YAML files of a folder; unreadable files are skipped. TypeScript rules are skipped too:
 * completion must not run code.
 */
export async function ruleIds(dir: string): Promise<string[]> {
  const names = await readdir(dir).catch((): string[] => []);
  const files = names.filter((name) => isRuleFile(name) && name.endsWith('.yaml'));
  const ids = await Promise.all(files.map((name) => idsIn(join(dir, name))));
  return ids.flat().toSorted();
}

async function idsIn(path: string): Promise<string[]> {
  try {
    const file = fileSchema.safeParse(parse(await readFile(path, 'utf8')));
    return file.success ? file.data.rules.map(({ id }) => id) : [];
  } catch {
    return [];
  }
}
