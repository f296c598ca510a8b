import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { codeIn, DOCUMENTS, type Document, documentOf } from './documents.ts';

/** Broken links of the document, without links to other hosts. */
function deadLinksIn({ path, prose }: Document): string[] {
  const targets = [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);
  return targets.filter((target) => !/^https?:/.test(target) && !leadsSomewhere(path, target));
}

function leadsSomewhere(from: string, target: string): boolean {
  const [file = '', anchor] = target.split('#');
  const path = file === '' ? from : join(dirname(from), file);
  if (!existsSync(path)) return false;
  const document = DOCUMENTS.find((each) => each.path === path);
  return anchor === undefined || (document !== undefined && anchorsOf(document).includes(anchor));
}

/** The anchors that GitHub generates for headings. */
function anchorsOf({ text }: Document): string[] {
  return [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

test.each(DOCUMENTS)('every link in $path works', (document) => {
  expect(deadLinksIn(document)).toEqual([]);
});

/** Missing files of this repository that the document names. */
function missingFilesIn({ prose }: Document): string[] {
  const named = codeIn(prose).filter((code) =>
    /^(bench|cli|functions|infra|local|operations|shared|test|workbench)\/[\w./-]+\.ts$/.test(code),
  );
  return named.filter((path) => !existsSync(path));
}

test.each(DOCUMENTS)('every source file that $path names exists', (document) => {
  expect(missingFilesIn(document)).toEqual([]);
});

test('every document is reachable from the README', () => {
  const reached = new Set(['README.md']);
  for (const path of reached)
    for (const [, target = ''] of DOCUMENTS.find((each) => each.path === path)?.prose.matchAll(
      /\]\(([^)\s#]+\.md)/g,
    ) ?? [])
      reached.add(join(dirname(path), target));
  expect([...reached].sort()).toEqual(DOCUMENTS.map(({ path }) => path));
});

describe('deadLinksIn reports', () => {
  test.each(['docs/none.md', '#no-such-heading', 'docs/reference/rules.md#none'])('%s', (target) => {
    expect(deadLinksIn(documentOf('README.md', `See [this](${target}).`))).toEqual([target]);
  });
});
