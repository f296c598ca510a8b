import { type Document, isCollection, isScalar, visit, type YAMLError } from 'yaml';

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
  const stars = wrongAliases(document, text);
  const repeated = document.errors.filter(({ code }) => code === 'DUPLICATE_KEY');
  const others = document.errors.filter((error) => !repeated.includes(error));
  // Later errors mostly follow from the first, and an unquoted star causes errors on its line.
  const first = others.slice(0, stars.length > 0 ? 0 : 1);
  return {
    faults: [
      ...repeated.map(({ pos: [offset] }) => ({ offset, message: 'this key is repeated; remove one' })),
      ...stars,
      ...first.map((error) => worded(error, document, text)),
    ],
    isReadable: stars.length === 0 && others.length === 0,
  };
}

/** Whether the text was valid UTF-8. */
export function isText(text: string): boolean {
  return !text.includes('\0') && !text.includes('\uFFFD');
}

/** Texts that start with `*` and are meant as text, such as the pattern `*-purchases`, and aliases that never end. */
function wrongAliases(document: Document.Parsed, text: string): SyntaxFault[] {
  const found: SyntaxFault[] = [];
  visit(document, {
    Alias(_key, alias, parents) {
      const offset = alias.range?.[0] ?? 0;
      const target = alias.resolve(document);
      if (!target) {
        // Within brackets a comma or a bracket ends a text.
        const [written = ''] = /^\*[^\n]*?(?=\s*[,\]}\n]|\s#|\s*$)/.exec(text.slice(offset)) ?? [];
        found.push({ offset, message: `text that starts with * needs quotes: "${written}"` });
      } else if (parents.includes(target)) {
        const message = `*${alias.source} refers to a part of the file that contains it; write the value out`;
        found.push({ offset, message });
      }
    },
  });
  return found;
}

/** What to do about an error of the parser. Other errors have the parser's own words. */
const ADVICE: Partial<Record<YAMLError['code'], string>> = {
  TAB_AS_INDENT: 'this line is indented with a tab; use spaces',
  MULTILINE_IMPLICIT_KEY: 'is not a key; write "key: value", with a colon and a space',
  MULTIPLE_DOCS: 'a file can have only one document; move the part after "---" to another file',
  UNEXPECTED_TOKEN: 'is not expected here; check its indentation and brackets',
};

function worded(error: YAMLError, document: Document.Parsed, text: string): SyntaxFault {
  const { code, message, pos } = error;
  const [offset] = pos;
  const own = { offset, message: `is not valid YAML: ${message.split('\n', 1)[0]}` };
  if (isOfIndentation(error, text)) return misindented(offset, text);
  switch (code) {
    case 'BLOCK_AS_IMPLICIT_KEY':
      return { offset, message: secondColon(text, offset) };
    case 'BAD_SCALAR_START':
      return { offset, message: `text that starts with ${text[offset]} needs quotes` };
    case 'BAD_INDENT':
    case 'MISSING_CHAR': {
      const opened = openedBefore(offset, document);
      if (opened !== undefined && isClosedAt(offset, text[opened], text))
        return { offset, message: `"${text[offset]}" must be indented more than the key it belongs to` };
      return opened === undefined ? own : { offset: opened, message: unclosed(text[opened] ?? '') };
    }
    default:
      return { offset, message: ADVICE[code] ?? own.message };
  }
}

/** Errors of indentation that no open bracket or quote causes. A list entry may stand where a key is expected. */
function isOfIndentation({ code, message, pos: [offset] }: YAMLError, text: string): boolean {
  if (code === 'MULTILINE_IMPLICIT_KEY') return /^-\s/.test(text.slice(offset));
  return /^(All (mapping|sequence) items|Sequence item without|A block sequence may not)/.test(message);
}

/** The fault of the first line with content at or after `offset`. */
function misindented(offset: number, text: string): SyntaxFault {
  const [skipped = ''] = /^(?:\s|#.*)*/.exec(text.slice(offset)) ?? [];
  const begun = offset + skipped.length;
  const start = text.lastIndexOf('\n', begun - 1) + 1;
  const isEntry = /^-\s/.test(text.slice(begun));
  if (isEntry && !/^\s*- /m.test(text.slice(0, start))) {
    const message = 'starts a list where a key is expected; add the line with its key above';
    return { offset: begun, message };
  }
  const spaces = `${begun - start} ${begun - start === 1 ? 'space' : 'spaces'}`;
  const message = `is indented by ${spaces}, unlike the ${isEntry ? 'entries' : 'keys'} before it; indent them alike`;
  return { offset: begun, message };
}

/** A second colon on the line is within a text. Otherwise the next line is indented too much. */
function secondColon(text: string, offset: number): string {
  const [line = ''] = text.slice(offset).split('\n', 1);
  return /:\s/.test(line)
    ? 'text with a colon and a space needs quotes'
    : 'the next line is a key, but is indented more than this one; indent both lines alike';
}

/** The offset of the first quote or bracket that is still open at `offset`. */
function openedBefore(offset: number, document: Document.Parsed): number | undefined {
  const starts: number[] = [];
  visit(document, {
    Node(_key, node) {
      const [start, end] = node.range ?? [];
      if (start === undefined || end === undefined || start >= offset || end < offset - 1) return;
      const isQuoted = isScalar(node) && node.type?.startsWith('QUOTE') === true;
      if (isQuoted || (isCollection(node) && node.flow === true)) starts.push(start);
    },
  });
  return starts[0];
}

/** Whether the bracket is closed at the start of this line. */
function isClosedAt(offset: number, opening: string | undefined, text: string): boolean {
  const isFirst = text.slice(text.lastIndexOf('\n', offset - 1) + 1, offset).trim() === '';
  return isFirst && { ']': '[', '}': '{' }[text[offset] ?? ''] === opening;
}

function unclosed(opening: string): string {
  const bracket = { '[': ']', '{': '}' }[opening];
  return bracket === undefined
    ? `this text in quotes is not closed; add ${opening} at its end`
    : `"${opening}" is not closed; add "${bracket}"`;
}
