import { type Document, isCollection, isScalar, visit, type YAMLError } from 'yaml';
import { endlessIn, unquotedIn } from './yaml-aliases.ts';
import { misindentedAt } from './yaml-indentation.ts';

/** A YAML syntax error. The message says how to fix it. */
interface SyntaxFault {
  offset: number;
  message: string;
}

/** The YAML syntax errors. `isReadable`: the rest can be parsed, so that all problems are reported at once. */
export function syntaxFaultsIn(
  document: Document.Parsed,
  text: string,
): { faults: SyntaxFault[]; isReadable: boolean } {
  if (!isText(text))
    return { faults: [{ offset: 0, message: 'is not text in UTF-8; save it as UTF-8' }], isReadable: false };
  const unquoted = unquotedIn(document, text);
  const endless = endlessIn(document);
  const because = new Set(unquoted.flatMap(({ errors }) => errors));
  const [repeated, others] = [
    document.errors.filter(isRepeated),
    document.errors.filter((e) => !isRepeated(e)),
  ];
  // Later errors mostly follow from the first.
  const first = others.filter((error) => !because.has(error)).slice(0, 1);
  return {
    faults: [
      ...repeated.map(({ pos: [offset] }) => ({ offset, message: 'this key is repeated; remove one' })),
      ...unquoted.map((each) => ({
        offset: each.offset,
        message: `text that starts with * needs quotes: "${each.text}"`,
      })),
      ...endless.map(({ offset, name }) => ({
        offset,
        message: `*${name} refers to a part of the file that contains it; write the value out`,
      })),
      ...first.map((error) => worded(error, document, text)),
    ],
    isReadable: unquoted.length === 0 && endless.length === 0 && others.length === 0,
  };
}

/** Whether the text was valid UTF-8. */
export function isText(text: string): boolean {
  return !text.includes('\0') && !text.includes('\uFFFD');
}

function isRepeated({ code }: YAMLError): boolean {
  return code === 'DUPLICATE_KEY';
}

function worded(
  { code, message, pos: [offset] }: YAMLError,
  document: Document.Parsed,
  text: string,
): SyntaxFault {
  if (isOfIndentation(message) || isEntryForKey(code, text.slice(offset)))
    return misindentedAt(offset, document, text);
  switch (code) {
    case 'TAB_AS_INDENT':
      return { offset, message: 'this line is indented with a tab; use spaces' };
    case 'BLOCK_AS_IMPLICIT_KEY':
      return { offset, message: secondColon(text, offset) };
    case 'MULTILINE_IMPLICIT_KEY':
      return { offset, message: 'is not a key; write "key: value", with a colon and a space' };
    case 'BAD_SCALAR_START':
      return { offset, message: `text that starts with ${text[offset]} needs quotes` };
    case 'MULTIPLE_DOCS':
      return {
        offset,
        message: 'a file can have only one document; move the part after "---" to another file',
      };
    case 'BAD_INDENT':
    case 'MISSING_CHAR':
      return openedBefore(offset, document, text) ?? { offset, message: `is not valid YAML: ${message}` };
    case 'UNEXPECTED_TOKEN':
      if (/[\]}]/.test(text[offset] ?? ''))
        return { offset, message: `"${text[offset]}" has no opening bracket; remove it` };
      return { offset, message: 'is not expected here; check its indentation' };
    default:
      return { offset, message: `is not valid YAML: ${message.split('\n', 1)[0]}` };
  }
}

/** A second colon on the line is within a text. Otherwise the next line is indented too much. */
function secondColon(text: string, offset: number): string {
  const line = text.slice(offset, offset + text.slice(offset).search(/\r?\n|$/));
  if (/:\s/.test(line)) return 'text with a colon and a space needs quotes';
  const own = lineOf(offset, text);
  const next = lineOf(offset + line.length + text.slice(offset + line.length).search(/\S|$/), text);
  return `line ${next} is a key, but is indented more than line ${own}; indent both lines alike`;
}

/** The line of `offset`, from 1. */
function lineOf(offset: number, text: string): number {
  return text.slice(0, offset).split('\n').length;
}

/** Errors of indentation that no open bracket or quote causes. */
function isOfIndentation(message: string): boolean {
  return /^(All (mapping|sequence) items|Sequence item without|A block sequence may not)/.test(message);
}

/** Whether a list entry is where a key is expected. */
function isEntryForKey(code: YAMLError['code'], text: string): boolean {
  return code === 'MULTILINE_IMPLICIT_KEY' && /^-\s/.test(text);
}

/** The first quote or bracket that is still open at `offset`. */
function openedBefore(offset: number, document: Document.Parsed, text: string): SyntaxFault | undefined {
  const starts: number[] = [];
  visit(document, {
    Node(_key, node) {
      const [start, end] = node.range ?? [];
      if (start === undefined || end === undefined || start >= offset || end < offset - 1) return;
      const isQuoted = isScalar(node) && node.type?.startsWith('QUOTE') === true;
      if (isQuoted || (isCollection(node) && node.flow === true)) starts.push(start);
    },
  });
  const [start] = starts;
  if (start === undefined) return undefined;
  const isOpened = { ']': '[', '}': '{' }[text[offset] ?? ''] === text[start];
  if (isOpened && indentAt(offset, text) < indentAt(start, text))
    return { offset, message: `"${text[offset]}" must be indented more than the key it belongs to` };
  return { offset: start, message: unclosed(text[start] ?? '') };
}

function unclosed(opening: string): string {
  const bracket = { '[': ']', '{': '}' }[opening];
  return bracket === undefined
    ? `this text in quotes is not closed; add ${opening} at its end`
    : `"${opening}" is not closed; add "${bracket}"`;
}

/** The number of spaces at the start of the line of `offset`. */
function indentAt(offset: number, text: string): number {
  const start = text.lastIndexOf('\n', offset - 1) + 1;
  return text.slice(start).search(/[^ ]|$/);
}
