import { type Document, isMap, isNode, isSeq, visit } from 'yaml';

/** The place of a key or the first entry of a list, outside brackets. */
interface Start {
  of: 'key' | 'entry';
  offset: number;
  column: number;
}

/** A wrong indentation: where the line starts, and which indentation is expected. */
interface Misindented {
  offset: number;
  message: string;
}

/** The fault of the first line with content at or after `offset`, compared with the lines before it. */
export function misindentedAt(offset: number, document: Document.Parsed, text: string): Misindented {
  const begun = firstWord(offset, text);
  const column = columnOf(begun, text);
  const open = openBefore(begun - column, document, text);
  const isEntry = /^-\s/.test(text.slice(begun, begun + 2));
  const [innermost] = open.filter(({ of }) => of === 'key');
  const alike = open.filter(({ of }) => of === (isEntry ? 'entry' : 'key'));
  if (isEntry && (alike.length === 0 || column > (innermost?.column ?? Infinity)))
    return { offset: begun, message: withoutKey(alike.length === 0) };
  // If two are equally near, the inner one, which comes first.
  const [nearest] = alike.toSorted((a, b) => Math.abs(a.column - column) - Math.abs(b.column - column));
  const those = isEntry ? 'entries' : 'keys';
  if (!nearest || nearest.column === column)
    return {
      offset: begun,
      message: `is not expected here; indent it like the ${those} it belongs to`,
    };
  return {
    offset: begun,
    message: `is indented by ${column} ${column === 1 ? 'space' : 'spaces'}, but the ${those} before it by ${nearest.column}; indent it by ${nearest.column}`,
  };
}

function withoutKey(isOutermost: boolean): string {
  const such = isOutermost ? ', such as "rules:",' : '';
  return `starts a list where a key is expected; add the line with its key${such} above`;
}

/** The keys and entries that a line at `offset` could continue, innermost first. */
function openBefore(offset: number, document: Document.Parsed, text: string): Start[] {
  const open: Start[] = [];
  for (const start of startsIn(document, text).sort((a, b) => b.offset - a.offset)) {
    if (start.offset < offset && start.column < (open.at(-1)?.column ?? Infinity)) open.push(start);
  }
  return open;
}

function startsIn(document: Document.Parsed, text: string): Start[] {
  const starts: Start[] = [];
  const add = (of: Start['of'], offset: number | undefined) => {
    if (offset !== undefined) starts.push({ of, offset, column: columnOf(offset, text) });
  };
  visit(document, {
    Collection(_key, node) {
      if (node.flow) return;
      if (isSeq(node)) add('entry', node.range?.[0]);
      if (isMap(node)) for (const { key } of node.items) if (isNode(key)) add('key', key.range?.[0]);
    },
  });
  return starts;
}

/** The offset after blank lines and comments. */
function firstWord(offset: number, text: string): number {
  const [skipped = ''] = /^(?:\s|#.*)*/.exec(text.slice(offset)) ?? [];
  return offset + skipped.length;
}

/** The column, from 0. */
function columnOf(offset: number, text: string): number {
  return offset - (text.lastIndexOf('\n', offset - 1) + 1);
}
