import { appendFile, mkdir, readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { exists, writeNew } from '../../local/files.ts';
import { ConfigError, isErrorCode } from '../../shared/runtime/errors.ts';

/** The workflow that reviews and deploys the rules of a repository, and the action of its jobs, by their paths there. */
export async function workflowFiles(): Promise<Map<string, string>> {
  const textOf = (path: string) => readFile(new URL(`../../${path}`, import.meta.url), 'utf8');
  return new Map([
    ['.github/workflows/deltawatch-rules.yml', await textOf('templates/github-actions/deltawatch-rules.yml')],
    ['.github/actions/deltawatch/action.yml', await textOf('action.yml')],
  ]);
}

/** Where figures come from: the folder of imported data, or as the configuration says. */
interface Figures {
  data?: string;
  figures?: object;
}

/** The text of `deltawatch.config.ts`. `rules` is the folder of the rules. */
export function configText(rules: string, { data, figures: given }: Figures): string {
  const figures = given
    ? `  // Where figures come from: a table of events. The URL of its database, or the key, is a secret.
  figures: ${literal(given).replaceAll('\n', '\n  ')},`
    : data === undefined
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

/** A value as TypeScript, with keys that need no quotes. */
const literal = (value: object): string =>
  JSON.stringify(value, null, 2).replaceAll(/^( *)"([A-Za-z_]\w*)":/gm, '$1$2:');

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}

/** Paths of the created files, and of existing files left unchanged. */
interface Written {
  written: string[];
  kept: string[];
}

/** Writes files that are missing under `dir`. Throws `ConfigError` before writing if one of `fresh` exists. */
export async function writeStarter(
  dir: string,
  files: ReadonlyMap<string, string>,
  fresh: readonly string[],
  hint?: string,
): Promise<Written> {
  const there = await Promise.all(
    [...files].map(async ([name, text]) => {
      const path = join(dir, name);
      return { name, path, text, is: await exists(path) };
    }),
  );
  const kept = there.filter(({ is }) => is);
  const begun = kept.filter(({ name }) => fresh.includes(name)).map(({ path }) => path);
  if (begun.length > 0)
    throw new ConfigError(
      `${begun[0]} already exists, so nothing was written: ${hint ?? `delete ${begun.join(' and ')}, or use another folder`}`,
    );
  const written: string[] = [];
  try {
    for (const { path, text, is } of there) {
      if (is) continue;
      await mkdir(dirname(path), { recursive: true });
      await writeNew(path, text);
      written.push(path);
    }
  } catch (error) {
    for (const path of written) await rm(path);
    throw error;
  }
  return { written, kept: kept.map(({ path }) => path) };
}

/** Runs `write` without these files, which an earlier init wrote, if none was changed. A failure restores them. */
export async function replacingUntouched<T>(
  dir: string,
  files: ReadonlyMap<string, string>,
  write: () => Promise<T>,
): Promise<{ outcome: T; removed: string[]; changed: string[] }> {
  const there = await Promise.all(
    [...files].map(async ([name, text]) => {
      const path = join(dir, name);
      return { path, text, is: (await exists(path)) ? await readFile(path, 'utf8') : undefined };
    }),
  );
  const changed = there.filter(({ is, text }) => is !== undefined && is !== text);
  // A changed test needs its rules.
  const untouched = changed.length > 0 ? [] : there.filter(({ is }) => is !== undefined);
  for (const { path } of untouched) await rm(path);
  const pathsOf = (some: typeof there) => some.map(({ path }) => path);
  try {
    return { outcome: await write(), removed: pathsOf(untouched), changed: pathsOf(changed) };
  } catch (error) {
    for (const { path, text } of untouched) if (!(await exists(path))) await writeNew(path, text);
    throw error;
  }
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
