import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { proposalLines } from '../../cli/data/proposal-lines.ts';
import { formatOf, openEventFile } from '../../local/data/import/event-file.ts';
import { parseMapping } from '../../local/data/import/fields.ts';
import { proposeMapping } from '../../local/data/import/propose-mapping.ts';
import { sampleOf } from '../../local/data/import/sample.ts';
import { temporaryFolder } from '../fixtures/deltawatch.ts';

/** The mapping that `data import` prints for a file with this name and text. */
export async function proposalOf(name: string, text: string): Promise<string> {
  await using folder = await temporaryFolder();
  const file = join(folder.path, name);
  await writeFile(file, text);
  const sample = await sampleOf(await openEventFile(file, formatOf(file)));
  const proposal = proposeMapping(sample, parseMapping([], []));
  return proposalLines(proposal, sample).join('\n');
}
