import { readFile } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Problem } from './file-problems.ts';
import { ignoreCommentsInTypeScript } from './ignore-comments.ts';
import { valueAt } from './rule-faults.ts';
import type { Path, RuleSource } from './rule-source.ts';
import { withoutSecrets } from './shown-source.ts';
import { thrownAt } from './thrown.ts';
import { placeIn } from './typescript-places.ts';
import { MOST_SECONDS, type Ran, runRuleModule } from './typescript-rule-module.ts';

/** How the files of rules in TypeScript end. Others may lie beside them, to be imported by them. */
export const TYPESCRIPT_RULES = '.rules.ts';

const ADAPTERS = new URL('.', import.meta.url).href;

/** The rules that the file `name` of the folder `dir` exports by default, or why it exports none. */
export async function readTypeScript(dir: string, name: string): Promise<RuleSource> {
  const path = resolve(dir, name);
  const text = await readFile(path, 'utf8');
  const ran = await runRuleModule(pathToFileURL(path).href);
  const value = ran.kind === 'value' ? ran.value : undefined;
  return {
    name,
    value,
    problems: ran.kind === 'value' ? [] : [problemOf(ran, { dir, name, text })],
    ignores: ignoreCommentsInTypeScript(text),
    problemAt(at, message, part = 'value') {
      const place = placeIn(text, at, { id: idAt(value, at), value: valueAt(value, at) });
      return problemAtOffset({ dir, name, text }, place, `${wordsOf(value, at, part)}${message}`);
    },
  };
}

interface File {
  dir: string;
  name: string;
  text: string;
}

/** `rule "orders-de" fire.change.below: `, as the line alone does not tell which rule of a loop it is about. */
function wordsOf(value: unknown, [top, index, ...keys]: Path, part: 'key' | 'value'): string {
  const shown = (steps: Path) => (part === 'key' ? steps.slice(0, -1) : steps).map(String).join('.');
  if (top !== 'rules' || index === undefined) {
    const words = shown(top === undefined ? [] : [top, ...(index === undefined ? [] : [index, ...keys])]);
    return words === '' ? '' : `${words}: `;
  }
  const id = idAt(value, ['rules', index]);
  const rule = id === undefined ? `rule ${Number(index) + 1}` : `rule "${id}"`;
  return `${[rule, shown(keys)].filter(Boolean).join(' ')}: `;
}

function idAt(value: unknown, [top, index]: Path): string | undefined {
  const id = top === 'rules' && index !== undefined ? valueAt(value, [top, index, 'id']) : undefined;
  return typeof id === 'string' ? id : undefined;
}

function problemAtOffset({ dir, name, text }: File, offset: number | undefined, message: string): Problem {
  const before = text.slice(0, offset ?? 0).split('\n');
  const line = before.length;
  return {
    file: join(dir, name),
    line,
    column: (before.at(-1)?.length ?? 0) + 1,
    message: withoutSecrets(message),
    source: withoutSecrets(text.split(/\r?\n/)[line - 1] ?? ''),
  };
}

function problemOf(ran: Exclude<Ran, { kind: 'value' }>, file: File): Problem {
  const { text } = file;
  switch (ran.kind) {
    case 'no-default':
      return problemAtOffset(file, undefined, 'exports no rules; write "export default defineRules({ … })"');
    case 'not-plain': {
      const message = `${ran.path.join('.')} is ${ran.what}; rules hold texts, numbers, true, false, lists and maps`;
      return problemAtOffset(file, placeIn(text, ran.path, { id: undefined, value: undefined }), message);
    }
    case 'threw':
      return ran.specifier === '' ? thrownProblem(ran, file) : importProblem(ran, file);
    case 'ended':
      return problemAtOffset(
        file,
        undefined,
        'ended, or waits for what never comes, before it exported rules',
      );
    case 'endless':
      return problemAtOffset(file, undefined, `still runs after ${MOST_SECONDS} seconds`);
  }
}

type Threw = Extract<Ran, { kind: 'threw' }>;

function thrownProblem(threw: Threw, file: File): Problem {
  const at = thrownAt(threw, ADAPTERS);
  const message = messageOf(threw);
  if (!at) return problemAtOffset(file, undefined, message);
  const isHere = at.path === resolve(file.dir, file.name);
  const { line, column, source = isHere ? (file.text.split(/\r?\n/)[line - 1] ?? '') : '' } = at;
  return {
    file: join(file.dir, relative(resolve(file.dir), at.path)),
    line,
    column,
    message: withoutSecrets(message),
    source: withoutSecrets(source),
  };
}

function messageOf({ code, message }: Threw): string {
  if (code === 'ERR_INVALID_TYPESCRIPT_SYNTAX') return `no TypeScript: ${syntaxText(message)}`;
  if (code === 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX')
    return `${message}: types are taken out and the rest runs as it is, so nothing that makes code will do`;
  if (/does not provide an export named/.test(message))
    return `${message}; a type is imported by "import type", and 'deltawatch/rules' has defineRules`;
  return message;
}

/** What is wrong mostly stands before the place where it shows. */
function syntaxText(message: string): string {
  if (message.includes('<eof>'))
    return 'the file ends before all is closed that it opens; rules mostly end with "});"';
  if (message === 'Unterminated template') return 'what ` opens is not closed';
  const got = /^Expected ',', got '(?<got>.+)'$/.exec(message)?.groups?.got;
  if (got === undefined) return message;
  return /^\w/.test(got)
    ? 'a comma is missing before this, or a quote is not closed'
    : `"${got}" is not expected here; is a bracket or a comma missing before it?`;
}

function importProblem({ specifier, message }: Threw, file: File): Problem {
  const isFile = /^\.{0,2}\//.test(specifier);
  const said = isFile
    ? `"${specifier}" cannot be imported: there is no such file${/\.\w+$/.test(specifier) ? '' : '; write its name whole, with ".ts"'}`
    : `"${specifier}" cannot be imported: no such package is installed where the file lies`;
  const at = Math.max(file.text.indexOf(`'${specifier}'`), file.text.indexOf(`"${specifier}"`));
  return at < 0 ? problemAtOffset(file, undefined, message) : problemAtOffset(file, at, said);
}
