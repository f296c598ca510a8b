import { ConfigError } from '../../shared/runtime/errors.ts';

/** Enough of an id to name an item in a list. */
export function shortId(id: string): string {
  return id.slice(0, 8);
}

/** The item whose id begins with `start`. Throws `ConfigError` if none or several do; `list` is a command. */
export function itemWithId<T extends { id: string }>(
  items: T[],
  start: string,
  { noun, list }: { noun: string; list: string },
): T {
  const [found, ...others] = items.filter(({ id }) => id.startsWith(start));
  if (others.length > 0)
    throw new ConfigError(`${others.length + 1} ${noun}s start with "${start}": use more of the id`);
  if (!found)
    throw new ConfigError(`no ${noun} has an id that starts with "${start}"; list them with: ${list}`);
  return found;
}
