import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';

const packageSchema = z.object({ name: z.string(), version: z.string(), license: z.string() });

/** The licences of packages whose code the package contains, by their folders. Each text is there once. */
export async function noticesOf(folders: Iterable<string>): Promise<string> {
  const notices = await Promise.all([...new Set(folders)].sort().map(noticeOf));
  const sections = [...Map.groupBy(notices, ({ text }) => text)].map(([text, those]) =>
    [...those.map(({ name }) => `## ${name}`), '', text].join('\n'),
  );
  return `Deltawatch contains code of these packages.\n\n${sections.join('\n\n')}\n`;
}

async function noticeOf(folder: string): Promise<{ name: string; text: string }> {
  const file = await readFile(join(folder, 'package.json'), 'utf8');
  const { name, version, license } = packageSchema.parse(JSON.parse(file));
  const files = (await readdir(folder)).filter((each) => /^(licen[cs]e|notice)/i.test(each)).sort();
  const texts = await Promise.all(files.map((each) => readFile(join(folder, each), 'utf8')));
  const text = texts.map((each) => each.trim()).join('\n\n');
  return { name: `${name} ${version} (${license})`, text };
}
