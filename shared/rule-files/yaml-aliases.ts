import { type Document, visit, type YAMLError } from 'yaml';

/** A text that starts with `*`, which YAML parses as an alias. */
interface Unquoted {
  offset: number;
  text: string;
  /** The parser errors that it causes. */
  errors: YAMLError[];
}

/** Aliases without an anchor. They are meant as text, such as the pattern `*-purchases`. */
export function unquotedIn(document: Document.Parsed, text: string): Unquoted[] {
  const found: Unquoted[] = [];
  visit(document, {
    Alias(_key, alias) {
      const offset = alias.range?.[0];
      if (offset === undefined || (alias.source !== '' && alias.resolve(document))) return;
      const lineEnd = offset + text.slice(offset).search(/\r?\n|$/);
      const errors = document.errors.filter(({ pos: [at] }) => at >= offset && at <= lineEnd);
      const end = Math.max(
        offset + 1 + alias.source.length,
        ...errors.filter(isRest).map(({ pos }) => pos[1]),
      );
      found.push({ offset, text: text.slice(offset, Math.min(end, lineEnd)).trimEnd(), errors });
    },
  });
  return found;
}

/** Aliases of a node that contains them, which would never end. */
export function endlessIn(document: Document.Parsed): { offset: number; name: string }[] {
  const found: { offset: number; name: string }[] = [];
  visit(document, {
    Alias(_key, alias, parents) {
      const target = alias.resolve(document);
      // An alias refers to an earlier node, so every cycle has an alias of one of its parents.
      if (target && parents.includes(target))
        found.push({ offset: alias.range?.[0] ?? 0, name: alias.source });
    },
  });
  return found;
}

/** Whether the error covers the rest of a text of several words. */
function isRest({ code }: YAMLError): boolean {
  return code === 'UNEXPECTED_TOKEN';
}
