import { type Document, isCollection, isScalar, visit, type YAMLError } from 'yaml';
import { endlessIn, unquotedIn } from './yaml-aliases.ts';
import { misindentedAt } from './yaml-indentation.ts';

/** Something wrong with a text as YAML, and what would be right. */
interface SyntaxFault {
  offset: number;
  message: string;
}

/** What is wrong with a text as YAML, and whether the rest can be read all the same, so that all its problems are told at once. */
export function syntaxFaultsIn(
  document: Document.Parsed,
  text: string,
): { faults: SyntaxFault[]; isReadable: boolean } {
  if (!isText(text))
    return { faults: [{ offset: 0, message: 'is no text in UTF-8; save it as one' }], isReadable: false };
  const unquoted = unquotedIn(document, text);
  const endless = endlessIn(document);
  const because = new Set(unquoted.flatMap(({ errors }) => errors));
  const [repeated, others] = [
    document.errors.filter(isRepeated),
    document.errors.filter((e) => !isRepeated(e)),
  ];
  // What follows the first is mostly there because of it.
  const first = others.filter((error) => !because.has(error)).slice(0, 1);
  return {
    faults: [
      ...repeated.map(({ pos: [offset] }) => ({ offset, message: 'the key is there twice' })),
      ...unquoted.map((each) => ({
        offset: each.offset,
        message: `a text that begins with * needs quotes: "${each.text}"`,
      })),
      ...endless.map(({ offset, name }) => ({
        offset,
        message: `*${name} refers to a part of the file that contains it, so it has no end; write out what is meant`,
      })),
      ...first.map((error) => worded(error, document, text)),
    ],
    isReadable: unquoted.length === 0 && endless.length === 0 && others.length === 0,
  };
}

/** Whether it was read from UTF-8, and not from some other bytes. */
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
      return { offset, message: 'a tab indents this line; YAML takes blanks alone' };
    case 'BLOCK_AS_IMPLICIT_KEY':
      return { offset, message: secondColon(text, offset) };
    case 'MULTILINE_IMPLICIT_KEY':
      return { offset, message: 'is no key; write "key: value", with a colon and a blank behind it' };
    case 'BAD_SCALAR_START':
      return { offset, message: `a text that begins with ${text[offset]} needs quotes` };
    case 'MULTIPLE_DOCS':
      return { offset, message: 'a file holds one document; put what follows "---" into a file of its own' };
    case 'BAD_INDENT':
    case 'MISSING_CHAR':
      return openedBefore(offset, document, text) ?? { offset, message: `no YAML: ${message}` };
    case 'UNEXPECTED_TOKEN':
      if (/[\]}]/.test(text[offset] ?? ''))
        return { offset, message: `"${text[offset]}" closes what was not opened; take it away` };
      return { offset, message: 'is not expected here; is it indented like what it belongs to?' };
    default:
      return { offset, message: `no YAML: ${message.split('\n', 1)[0]}` };
  }
}

/** Two on one line are within a text; on two the second line is indented as a part of the first one's text. */
function secondColon(text: string, offset: number): string {
  const line = text.slice(offset, offset + text.slice(offset).search(/\r?\n|$/));
  if (/:\s/.test(line)) return 'a text that holds a colon and a blank needs quotes';
  return 'goes on in the next line, which is indented more and holds a key; indent both alike';
}

/** These come of lines alone, whatever opened in them. */
function isOfIndentation(message: string): boolean {
  return /^(All (mapping|sequence) items|Sequence item without|A block sequence may not)/.test(message);
}

/** The entry of a list where a key is needed. */
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
  return { offset: start, message: `what ${text[start]} opens here is not closed` };
}

/** By how many blanks the line of `offset` begins. */
function indentAt(offset: number, text: string): number {
  const start = text.lastIndexOf('\n', offset - 1) + 1;
  return text.slice(start).search(/[^ ]|$/);
}
