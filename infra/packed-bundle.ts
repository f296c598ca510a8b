import { cpSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { Stage as Assembly, type Stack } from 'aws-cdk-lib';

/** A copy of a bundle with a JSON file beside it, in the output folder of the app: nobody should change node_modules. */
export function bundleWith(stack: Stack, bundle: string, file: { name: string; content: unknown }): string {
  const copy = join(outputFolder(stack), `${basename(bundle)}-${stack.stackName}`);
  rmSync(copy, { recursive: true, force: true });
  cpSync(bundle, copy, { recursive: true });
  writeFileSync(join(copy, file.name), JSON.stringify(file.content));
  return copy;
}

/** The folder to which the app of the stack is synthesized. */
export function outputFolder(stack: Stack): string {
  const outdir = Assembly.of(stack)?.outdir;
  if (outdir === undefined) throw new Error('a stack without an app has no output folder');
  return outdir;
}
