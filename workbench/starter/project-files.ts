import { appendFile, mkdir, readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { exists, writeNew } from '../../local/files.ts';
import { ConfigError, isErrorCode } from '../../shared/runtime/errors.ts';

/** Path of the workflow in the repository of the rules. */
export const WORKFLOW_PATH = '.github/workflows/deltawatch-rules.yml';

const TEMPLATE = new URL('../../templates/github-actions/deltawatch-rules.yml', import.meta.url);

/** The workflow that reviews and deploys the rules of a repository with a configuration. */
export function workflowText(): Promise<string> {
  return readFile(TEMPLATE, 'utf8');
}

/** The text of `deltawatch.config.ts`. `rules` is the folder of the rules, `data` that of imported data, if any. */
export function configText(rules: string, data: string | undefined): string {
  const figures =
    data === undefined
      ? `  // Without figures, the commands use the data of "deltawatch data import" or a generated demo shop. To query a data
  // access service, name it and the secret with its API key:
  // figures: { service: 'https://data.example.com', apiKeySecret: 'figures-key' },`
      : `  // Where figures come from: data of "deltawatch data import".
  figures: { data: ${quoted(data)} },`;
  return `import { defineConfig } from 'deltawatch/config';

export default defineConfig({
  // The folder of the rules.
  rules: ${quoted(rules)},

${figures}

  // Deployments on AWS, by name: "npx deltawatch deploy production".
  // stages: {
  //   production: {
  //     operators: 'oncall@example.com',
  //     dataAccess: { kind: 'own', firstDay: '2026-01-01' },
  //   },
  // },
});
`;
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}

/** Paths of the created files, and of existing files left unchanged. */
interface Written {
  written: string[];
  kept: string[];
}

/**
 * Writes files by relative path under `dir`, and never changes existing ones. Throws `ConfigError` before
 * writing where one of `fresh` exists.
 */
export async function writeStarter(
  dir: string,
  files: ReadonlyMap<string, string>,
  fresh: readonly string[],
): Promise<Written> {
  const there = await Promise.all(
    [...files.keys()].map(async (name) => ({ name, is: await exists(join(dir, name)) })),
  );
  const kept = there.filter(({ is }) => is).map(({ name }) => name);
  const [begun] = kept.filter((name) => fresh.includes(name));
  if (begun !== undefined)
    throw new ConfigError(`${join(dir, begun)} already exists, so nothing was written; use another folder`);
  const missing = [...files].filter(([name]) => !kept.includes(name));
  const written: string[] = [];
  try {
    for (const [name, text] of missing) {
      const path = join(dir, name);
      await mkdir(dirname(path), { recursive: true });
      await writeNew(path, text);
      written.push(path);
    }
  } catch (error) {
    for (const path of written) await rm(path);
    throw error;
  }
  return { written: missing.map(([name]) => name), kept };
}

/** Adds the state folder to `.gitignore`: it holds secrets and data. Returns whether the file changed. */
export async function ignoreState(path: string): Promise<boolean> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    if (isErrorCode(error, 'ENOENT')) return '';
    throw error;
  });
  if (text.split(/\r?\n/).some((line) => /^\/?\.deltawatch\/?$/.test(line.trim()))) return false;
  await appendFile(path, `${text === '' || text.endsWith('\n') ? '' : '\n'}.deltawatch/\n`);
  return true;
}
