import { type Document, visit, type YAMLError } from 'yaml';

/** A text that begins with `*`, which YAML takes for a reference to what stands elsewhere. */
interface Unquoted {
  offset: number;
  text: string;
  /** What the parser complained of because of it. */
  errors: YAMLError[];
}

/** References to nothing: whoever wrote them meant a text, such as the pattern `*-purchases`. */
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

/** References to what they are a part of, which would never come to an end. */
export function endlessIn(document: Document.Parsed): { offset: number; name: string }[] {
  const found: { offset: number; name: string }[] = [];
  visit(document, {
    Alias(_key, alias, parents) {
      const target = alias.resolve(document);
      // One refers to what stands before it: any way round leads through one to what it is in.
      if (target && parents.includes(target))
        found.push({ offset: alias.range?.[0] ?? 0, name: alias.source });
    },
  });
  return found;
}

/** A text of several words goes on where a reference has ended. */
function isRest({ code }: YAMLError): boolean {
  return code === 'UNEXPECTED_TOKEN';
}
