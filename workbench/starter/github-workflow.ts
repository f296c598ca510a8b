import { readFile } from 'node:fs/promises';

/** Path of the workflow in the repository of the rules. */
export const WORKFLOW_PATH = '.github/workflows/deltawatch-rules.yml';

const TEMPLATE = new URL('../../templates/github-actions/deltawatch-rules.yml', import.meta.url);

/** The workflow that reviews and deploys the rules of the folder `dir`. */
export async function workflowText(dir: string): Promise<string> {
  const template = await readFile(TEMPLATE, 'utf8');
  if (dir === 'rules') return template;
  return template
    .replaceAll(/npx deltawatch (check|backtest|plan|apply)\b/g, `$& --rules ${dir}`)
    .replaceAll('npx deltawatch test', `$& ${dir}`)
    .replace('that holds rules/', `that holds ${dir}/`);
}
