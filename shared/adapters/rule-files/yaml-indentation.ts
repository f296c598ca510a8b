import { type Document, isMap, isNode, isSeq, visit } from 'yaml';

/** Where a key or the first entry of a list begins, outside of brackets. */
interface Start {
  of: 'key' | 'entry';
  offset: number;
  column: number;
}

/** What is wrong with how a line is indented: where it begins, and what it would go with. */
interface Misindented {
  offset: number;
  message: string;
}

/** The first line from `offset` on that holds more than blanks and a comment, against what is open before it. */
export function misindentedAt(offset: number, document: Document.Parsed, text: string): Misindented {
  const begun = firstWord(offset, text);
  const column = columnOf(begun, text);
  const open = openBefore(begun - column, document, text);
  const isEntry = /^-\s/.test(text.slice(begun, begun + 2));
  const [innermost] = open.filter(({ of }) => of === 'key');
  const alike = open.filter(({ of }) => of === (isEntry ? 'entry' : 'key'));
  if (isEntry && (alike.length === 0 || column > (innermost?.column ?? Infinity)))
    return { offset: begun, message: withoutKey(alike.length === 0) };
  // Of two that are as near the inner one, which is the first.
  const [nearest] = alike.toSorted((a, b) => Math.abs(a.column - column) - Math.abs(b.column - column));
  const those = isEntry ? 'entries' : 'keys';
  if (!nearest || nearest.column === column)
    return {
      offset: begun,
      message: `is not expected here; is it indented like the ${those} it belongs to?`,
    };
  return {
    offset: begun,
    message: `is indented by ${column}, the ${those} before it by ${nearest.column}`,
  };
}

function withoutKey(isOutermost: boolean): string {
  const such = isOutermost ? ', such as "rules:",' : '';
  return `begins a list where a key is needed; is the line with its key${such} missing above?`;
}

/** What a line at `offset` could go on with, the innermost first. */
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

/** Past blank lines and comments. */
function firstWord(offset: number, text: string): number {
  const [skipped = ''] = /^(?:\s|#.*)*/.exec(text.slice(offset)) ?? [];
  return offset + skipped.length;
}

/** From 0. */
function columnOf(offset: number, text: string): number {
  return offset - (text.lastIndexOf('\n', offset - 1) + 1);
}
