import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { parse } from 'yaml';
import * as z from 'zod';
import { eventually, freePort, launch, temporaryFolder } from '../fixtures/deltawatch.ts';

// The steps of the image, without a builder.
const instructions = (await readFile('Dockerfile', 'utf8')).replaceAll('\\\n', '').split('\n');
const argumentOf = (name: string) =>
  instructions.findLast((line) => line.startsWith(`${name} `))?.slice(name.length + 1) ?? '';
const words = z.array(z.string());

test('the image stands on one base, pinned by its digest', () => {
  const bases = instructions.filter((line) => line.startsWith('FROM ')).map((line) => line.split(' ')[1]);
  expect(new Set(bases).size).toBe(1);
  expect(bases[0]).toMatch(/^node:[\d.]+-bookworm-slim@sha256:[0-9a-f]{64}$/);
});

test('the image installs the package, runs the rules of a folder and reports its health', async () => {
  await using folder = await temporaryFolder();
  const installed = join(folder.path, 'opt');
  expect(argumentOf('RUN').includes('chown')).toBe(true);
  const [line = ''] = /(?<=RUN )npm install \S.*?(?= &&)/.exec(instructions.join('\n')) ?? [];
  const [npm = '', ...args] = line
    .replace('/opt/deltawatch', installed)
    .replace('/tmp/deltawatch.tgz', inject('tarball'))
    .split(' ');
  const install = await launch(npm, args, process.cwd()).ended;
  expect(install, install.stderr).toMatchObject({ code: 0 });

  const watch = await temporaryFolder();
  const bin = join(installed, 'node_modules/.bin/deltawatch');
  expect(await launch(bin, ['init', '--app', 'clinic'], watch.path).ended).toMatchObject({ code: 0 });
  const compose = z
    .object({ services: z.object({ deltawatch: z.object({ command: words }) }) })
    .parse(parse(await readFile('compose.yaml', 'utf8')));
  const port = `${await freePort()}`;
  const command = compose.services.deltawatch.command.map((word) =>
    word.startsWith('${DELTAWATCH_URL') ? 'https://alerts.example.com' : word,
  );
  await using running = launch(bin, [...command, '--port', port], watch.path);
  await eventually('being live', () => running.printed().includes('Now live') || undefined);

  const [program = '', ...check] = words.parse(JSON.parse(argumentOf('HEALTHCHECK').replace(/^.*?CMD /, '')));
  const healthy = await launch(
    program,
    check.map((each) => each.replace('4100', port)),
    watch.path,
  ).ended;
  expect(healthy).toEqual({ code: 0, stdout: '', stderr: '' });
  expect((await fetch(`http://127.0.0.1:${port}/`)).status).toBe(401);
  running.kill('SIGTERM');
  expect((await running.ended).code).toBe(0);
  await watch[Symbol.asyncDispose]();
});
