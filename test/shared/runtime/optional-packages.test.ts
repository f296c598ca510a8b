import { describe, expect, test } from 'vitest';
import { missingPackage, requirePackages } from '../../../shared/runtime/optional-packages.ts';

/** Errors of Node. */
const imported = (name: string) =>
  errorOf('ERR_MODULE_NOT_FOUND', `Cannot find package '${name}' imported from /alerts/system.js`);
const required = (name: string) =>
  errorOf('MODULE_NOT_FOUND', `Cannot find module '${name}'\nRequire stack: …`);

function errorOf(code: string, message: string): Error {
  return Object.assign(new Error(message), { code });
}

describe('the error of a missing optional package', () => {
  test.each([
    ['import', imported('vega'), 'vega'],
    ['import with a scope', imported('@duckdb/node-api'), '@duckdb/node-api'],
    ['require of a file', required('@resvg/resvg-wasm/index_bg.wasm'), '@resvg/resvg-wasm'],
  ])('of an %s names the command that installs it', (_, error, wanted) => {
    const known = missingPackage(error);
    expect(known?.name).toBe('ConfigError');
    const sentence = `this needs a package that is not installed (${wanted})`;
    expect(known?.message).toBe(`${sentence}:\n\nnpm install --include=optional`);
  });

  test.each([
    ['of a required package', imported('zod')],
    [
      'of a file',
      errorOf('ERR_MODULE_NOT_FOUND', "Cannot find module '/alerts/dynalite' imported from /a.js"),
    ],
    ['of a package with a similar name', imported('vega-embed')],
    ['with another code', errorOf('ENOENT', "Cannot find package 'vega'")],
    ['without a code', new Error("Cannot find package 'vega'")],
    ['that is no error', 'vega'],
  ])('is not one %s', (_, error) => {
    expect(missingPackage(error)).toBeUndefined();
  });
});

test('installed packages are accepted, with or without a main module', () => {
  expect(() => requirePackages('vega', '@duckdb/node-api', 'dejavu-fonts-ttf')).not.toThrow();
});

test('all missing packages are named at once, and only those', () => {
  expect(() => requirePackages('vega', 'not-there', '@not/there')).toThrow(
    'this needs packages that are not installed (not-there, @not/there):',
  );
});

test('a package of the CDK is installed in the version that the package accepts', () => {
  expect(missingPackage(imported('aws-cdk-lib'))?.message).toMatch(
    /\n\nnpm install --save-dev aws-cdk-lib@\d+\.\d+\.\d+$/,
  );
});
