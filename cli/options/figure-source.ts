import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Command } from 'commander';
import { openLocalSecrets, secretVariable } from '../../local/secrets.ts';
import type { FigureSource } from '../../shared/config/config.ts';
import type { SqlTables } from '../../shared/config/sql-tables.ts';
import { ConfigError } from '../../shared/runtime/errors.ts';
import { type ProjectOptions, pathIn, STATE } from './project.ts';

/** The source that the options name, or else that of the configuration; `undefined` if neither names one. */
export function sourceOf({ data, project }: FigureOptions): FigureSource | undefined {
  if (data !== undefined) return { kind: 'folder', dir: data };
  const figures = project?.config.figures;
  return figures?.kind === 'folder' ? { kind: 'folder', dir: pathIn(project, figures.dir) } : figures;
}

/** A service with its API key from the secrets of this machine. `describe` is the end of a sentence. */
export async function serviceWithKey(
  { url, apiKeySecret }: Extract<FigureSource, { kind: 'service' }>,
  state: string,
): Promise<{ url: string; apiKey: string; describe: string }> {
  if (apiKeySecret === undefined)
    throw new ConfigError(
      'figures of deltawatch.config.ts needs apiKeySecret, the name of the secret that holds the API key of the service',
    );
  const apiKey = await localSecret(apiKeySecret, state);
  // A URL may contain credentials, so only its host is printed.
  return { url, apiKey, describe: `the service at ${new URL(url).host}` };
}

/** A secret of this machine. Throws `ConfigError` that says where to add it. */
export async function localSecret(name: string, state: string): Promise<string> {
  await mkdir(state, { recursive: true });
  const file = join(state, 'secrets.json');
  const value = await (await openLocalSecrets(file)).find(name);
  if (value === undefined)
    throw new ConfigError(`there is no secret "${name}": set ${secretVariable(name)}, or add it to ${file}`);
  return value;
}

/** The tables, as the end of a sentence. */
export function tablesText(tables: SqlTables): string {
  if (tables.engine === 'postgres') return 'your tables in PostgreSQL';
  if (tables.engine === 'athena') return 'your tables in Athena';
  return tables.database === undefined ? 'your files' : `your tables in ${tables.database}`;
}

/** Throws `ConfigError` if the tables lack one of these apps. */
export function requireTables(tables: SqlTables, apps: readonly string[]): void {
  const known = Object.keys(tables.apps);
  const [strange] = apps.filter((app) => !known.includes(app));
  if (strange !== undefined)
    throw new ConfigError(
      `figures.sql of deltawatch.config.ts has no app "${strange}": it has ${known.join(', ')}`,
    );
}

/** Options added by `withFigureOptions`. */
export interface FigureOptions extends ProjectOptions {
  data?: string;
}

/** Adds the option for the source of figures. */
export function withFigureOptions(command: Command): Command {
  return command.option(
    '--data <dir>',
    `Folder of the data; default: figures of the configuration, ${STATE}/data, or a generated demo shop`,
  );
}
