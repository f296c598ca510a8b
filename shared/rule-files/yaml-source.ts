import { join } from 'node:path';
import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
  type Tags,
} from 'yaml';
import type { Problem } from './file-problems.ts';
import { ignoreCommentsIn } from './ignore-comments.ts';
import type { Fault, RuleSource } from './rule-source.ts';
import { shownLines, shownMessage, withoutSecrets } from './shown-source.ts';
import { isText, syntaxFaultsIn } from './yaml-syntax.ts';

/** Parses the YAML `text` of the file `name` in the folder `dir`. */
export function parseYaml(dir: string, name: string, text: string): RuleSource {
  const file = join(dir, name);
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { lineCounter, prettyErrors: false, customTags: inDecimals });
  const lines = shownLines(name, text.split(/\r?\n/));

  const problemFrom = (offset: number, message: string): Problem => {
    const { line, col } = lineCounter.linePos(offset);
    const source = isText(text) ? (lines[line - 1] ?? '') : '';
    return { file, line: line || 1, column: col || 1, message: withoutSecrets(message), source };
  };
  const { faults, isReadable } = syntaxFaultsIn(document, text);
  const read = isReadable ? plainValueOf(document) : { value: undefined, faults: [] };
  return {
    name,
    value: read.value,
    problems: [...faults, ...read.faults].map(({ offset, message }) => problemFrom(offset, message)),
    ignores: ignoreCommentsIn(text),
    problemAt: (fault) => problemFrom(offsetOf(document, fault), shownMessage(name, fault)),
  };
}

/** Without hexadecimal and octal numbers: in the figures of a rule test, 0x10 is zero and ten more. */
function inDecimals(tags: Tags): Tags {
  return tags.filter((tag) => typeof tag === 'string' || (tag.format !== 'HEX' && tag.format !== 'OCT'));
}

/** Enough to share one part among thousands of rules, but limits aliases that grow exponentially. */
const MOST_REFERENCES = 20_000;

function plainValueOf(document: Document.Parsed): {
  value: unknown;
  faults: { offset: number; message: string }[];
} {
  try {
    return { value: document.toJS({ maxAliasCount: MOST_REFERENCES }), faults: [] };
  } catch {
    const message = `its aliases (*name) expand to more than ${MOST_REFERENCES} parts; use fewer aliases, or split the file`;
    return { value: undefined, faults: [{ offset: 0, message }] };
  }
}

function offsetOf(document: Document.Parsed, { path, part }: Fault): number {
  let node: Node | null | undefined = document.contents;
  let key: Node | undefined;
  for (const step of path) {
    if (isAlias(node)) node = node.resolve(document);
    const entry: Entry | undefined = entryOf(node, step);
    if (!entry) break;
    node = entry.value;
    key = entry.key;
  }
  const place = (part === 'key' ? (key ?? node) : (node ?? key)) ?? document.contents;
  return place?.range?.[0] ?? 0;
}

interface Entry {
  key: Node | undefined;
  value: Node;
}

function entryOf(node: Node | null | undefined, step: PropertyKey): Entry | undefined {
  if (isSeq<Node>(node)) {
    const value = node.items[Number(step)];
    return value && { key: undefined, value };
  }
  if (!isMap<Node, Node>(node)) return undefined;
  const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === String(step));
  return pair && { key: pair.key, value: pair.value ?? pair.key };
}
