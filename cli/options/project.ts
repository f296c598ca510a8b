import { relative, resolve } from 'node:path';
import type { Command as PlainCommand } from 'commander';
import { loadProject, type Project } from '../../shared/config/load-config.ts';
import type { Command } from '../terminal/command.ts';

/** Default folder of the state, and of imported data in it. */
export const STATE = '.deltawatch';
export const IMPORTED_DATA = '.deltawatch/data';

/** Added to the options of every command that works in a repository. */
export interface ProjectOptions {
  project?: Project | undefined;
}

/** Options added by `withFigureOptions`. */
export interface FigureOptions extends ProjectOptions {
  data?: string | undefined;
  /** `false`: without data, fail instead of generating a demo shop. */
  demo?: false;
}

export function withFigureOptions(command: Command): Command {
  return command.option(
    '--data <dir>',
    `Folder of the data; default: figures of the configuration, ${STATE}/data, or a generated demo shop`,
  );
}

/** Options whose defaults are paths of the project. */
const PATHS = {
  rules: ({ config }: Project) => config.rules,
  state: () => STATE,
  data: () => IMPORTED_DATA,
};

/**
 * Loads the configuration of the working folder or a folder above, and makes it the default of the command's options.
 * Throws `ConfigError` if it is not valid.
 */
export async function applyProject(command: PlainCommand, from = process.cwd()): Promise<void> {
  const names = command.options.map((option) => option.attributeName());
  if (!names.some((name) => Object.hasOwn(PATHS, name))) return;
  const project = await loadProject(from);
  command.setOptionValueWithSource('project', project, 'config');
  for (const [name, pathOf] of Object.entries(PATHS))
    if (command.getOptionValueSource(name) === 'default')
      command.setOptionValueWithSource(name, pathIn(project, pathOf(project), from), 'default');
}

/** A path of the project, relative to the working folder. */
export function pathIn(project: Project | undefined, path: string, from = process.cwd()): string {
  return project ? relative(from, resolve(project.dir, path)) || '.' : path;
}
