import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { proposalLines } from '../../cli/data/proposal-lines.ts';
import { parseMapping } from '../../local/data/import/fields.ts';
import { proposeMapping } from '../../local/data/import/propose-mapping.ts';
import { formatOf } from '../../local/data/import/records.ts';
import { sampleOf } from '../../local/data/import/sample.ts';
import { TIME_FORMATS } from '../../local/data/import/times.ts';
import { temporaryFolder } from '../fixtures/deltawatch.ts';

/** The mapping that `data import` prints for a file with this name and text. */
export async function proposalOf(name: string, text: string): Promise<string> {
  await using folder = await temporaryFolder();
  const file = join(folder.path, name);
  await writeFile(file, text);
  const sample = await sampleOf(file, formatOf(file));
  return proposalLines(proposeMapping(sample, parseMapping([], []), TIME_FORMATS), sample).join('\n');
}
