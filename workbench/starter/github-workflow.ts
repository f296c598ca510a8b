import { readFile } from 'node:fs/promises';

/** Path of the workflow in the repository of the rules. */
export const WORKFLOW_PATH = '.github/workflows/deltawatch-rules.yml';

const TEMPLATE = new URL('../../templates/github-actions/deltawatch-rules.yml', import.meta.url);

/** The workflow that reviews and deploys the rules of a repository with a configuration. */
export function workflowText(): Promise<string> {
  return readFile(TEMPLATE, 'utf8');
}
