import { globSync, readFileSync } from 'node:fs';

/** A fenced block of a document; `place` names the line of its opening fence. */
export interface Block {
  place: string;
  language: string;
  text: string;
}

export interface Document {
  path: string;
  text: string;
  blocks: Block[];
  /** The text without its blocks, on one line. */
  prose: string;
}

const FENCE = /^( *)```(\w*)\n([\s\S]*?)^ *```$/gm;

export const DOCUMENTS: Document[] = globSync(['README.md', 'CONTRIBUTING.md', 'docs/**/*.md'])
  .sort()
  .map((path) => documentOf(path, readFileSync(path, 'utf8')));

export function documentOf(path: string, text: string): Document {
  const blocks = [...text.matchAll(FENCE)].map(([, indent = '', language = '', body = ''], i, all) => ({
    place: `${path}:${lineOf(text, all[i]?.index ?? 0)}`,
    language,
    text: body.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  }));
  return { path, text, blocks, prose: text.replaceAll(FENCE, '').replaceAll(/\s*\n\s*/g, ' ') };
}

export function documentAt(path: string): Document {
  const found = DOCUMENTS.find((document) => document.path === path);
  if (!found) throw new Error(`there is no ${path}`);
  return found;
}

export function blocksIn(language: string, documents: Document[] = DOCUMENTS): Block[] {
  return documents.flatMap(({ blocks }) => blocks.filter((block) => block.language === language));
}

/** The rows of the table whose first heading is `heading`. */
export function tableIn({ text, path }: Document, heading: string): string[][] {
  const lines = text.split('\n');
  const start = lines.findIndex((line) => cellsOf(line)[0] === heading);
  if (start < 0) throw new Error(`${path} has no table that begins with "${heading}"`);
  const rows = lines.slice(start + 2);
  const end = rows.findIndex((line) => !line.startsWith('|'));
  return rows.slice(0, end < 0 ? undefined : end).map(cellsOf);
}

/** The texts in backticks. */
export function codeIn(text: string): string[] {
  return [...text.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);
}

function cellsOf(line: string): string[] {
  return line.startsWith('|')
    ? line
        .slice(1, -1)
        .split('|')
        .map((cell) => cell.trim())
    : [];
}

function lineOf(text: string, index: number): number {
  return text.slice(0, index).split('\n').length;
}
