import { ConfigError } from '../../shared/runtime/errors.ts';

/** What a person is told of a file that cannot be read; anything but a fault of the file system is passed on. */
export function fileProblem(file: string, error: unknown): unknown {
  if (!(error instanceof Error) || !('code' in error)) return error;
  const said =
    error.code === 'ENOENT' ? 'there is no such file' : `cannot be read or written (${String(error.code)})`;
  return new ConfigError(`${file}: ${said}`, { cause: error });
}
