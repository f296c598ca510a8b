import * as z from 'zod';
import { ConfigError } from './errors.ts';

export type Variables = Record<string, string | undefined>;

/**
 * Parses the environment variables that `shape` names. Throws one `ConfigError` that names all missing or invalid
 * variables. It never quotes a value, because that may be a secret.
 */
export function readEnvironment<Shape extends z.ZodRawShape>(
  shape: Shape,
  variables: Variables = process.env,
): z.output<z.ZodObject<Shape>> {
  const parsed = z.object(shape).safeParse(variables);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map((issue) => {
    const name = String(issue.path[0]);
    return variables[name] === undefined ? `${name} is not set` : `${name} is not valid: ${issue.message}`;
  });
  throw new ConfigError(`Invalid environment: ${problems.join('; ')}`);
}

/** The environment of a command: all variables except these names. */
export function environmentWithout(names: string[], variables: Variables = process.env): Variables {
  return Object.fromEntries(Object.entries(variables).filter(([name]) => !names.includes(name)));
}
