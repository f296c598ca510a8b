import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  type Download,
  FileCache,
  type StoredFile,
} from '../../../../../functions/data-access/engines/duckdb/file-cache.ts';
import { QueryLimitError, UpstreamError } from '../../../../../shared/runtime/errors.ts';

const MAX_BYTES = 10;
const IN_TIME = new AbortController().signal;

const fileOf = (key: string, { tag = 'v1', bytes = 4 } = {}): StoredFile => ({ key, tag, bytes });
const [A, B, C] = [fileOf('a'), fileOf('b'), fileOf('c')];

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'file-cache-'));
});
afterEach(() => rm(folder, { recursive: true }));

/** A cache whose downloads write the key and the tag. `downloads` has what was downloaded, in order. */
function cacheWith(download: Download = async () => 'saved') {
  const downloads: string[] = [];
  const cache = new FileCache({
    folder,
    maxBytes: MAX_BYTES,
    download: async (file, path, signal) => {
      downloads.push(`${file.key} ${file.tag}`);
      const outcome = await download(file, path, signal);
      if (outcome === 'saved') await writeFile(path, `${file.key} ${file.tag}`);
      return outcome;
    },
  });
  const contents = (files: readonly StoredFile[], signal = IN_TIME) =>
    cache.withFiles(files, signal, (pathOf) =>
      Promise.all(files.map((file) => readFile(pathOf(file), 'utf8'))),
    );
  return { cache, contents, downloads };
}

/** A question that uses the files until `end` is called. */
async function using(cache: FileCache, files: readonly StoredFile[]) {
  const ended = Promise.withResolvers<void>();
  const started = Promise.withResolvers<void>();
  const done = cache.withFiles(files, IN_TIME, async (pathOf) => {
    started.resolve();
    await ended.promise;
    return files.map((file) => existsSync(pathOf(file)));
  });
  await Promise.race([started.promise, done]);
  return {
    end: () => {
      ended.resolve();
      return done;
    },
  };
}

test('a file is downloaded once, and again after it was replaced', async () => {
  const { contents, downloads } = cacheWith();
  expect(await contents([A])).toEqual(['a v1']);
  expect(await contents([A, B])).toEqual(['a v1', 'b v1']);
  expect(await contents([fileOf('a', { tag: 'v2' })])).toEqual(['a v2']);
  expect(downloads).toEqual(['a v1', 'b v1', 'a v2']);
});

test('the least recently used files are deleted to make room', async () => {
  const { contents, downloads } = cacheWith();
  await contents([A]);
  await contents([B]);
  await contents([A]);
  await contents([C]);
  expect(await readdir(folder)).toHaveLength(2);
  await contents([A, C]);
  expect(downloads).toEqual(['a v1', 'b v1', 'c v1']);
});

test('files in use are never deleted: a question waits until there is room', async () => {
  const { cache, contents, downloads } = cacheWith();
  const question = await using(cache, [A, B]);
  const waiting = contents([C]);
  await contents([A]);
  expect(downloads).toEqual(['a v1', 'b v1']);
  expect(await question.end()).toEqual([true, true]);
  expect(await waiting).toEqual(['c v1']);
});

test('a question that waits for room ends at its time limit', async () => {
  const { cache, contents } = cacheWith();
  const question = await using(cache, [A, B]);
  const limit = new AbortController();
  const waiting = contents([C], limit.signal);
  limit.abort(new Error('too late'));
  await expect(waiting).rejects.toThrow('too late');
  await question.end();
});

test('a question about more than the storage holds is refused, and says what to do', async () => {
  const { contents, downloads } = cacheWith();
  const refused = contents([A, B, C]);
  await expect(refused).rejects.toThrow(QueryLimitError);
  await expect(refused).rejects.toThrow("engine: 'athena'");
  expect(downloads).toEqual([]);
});

test('a failed download fails the whole question, and the next one tries again', async () => {
  let isBroken = true;
  const { contents, downloads } = cacheWith(async ({ key }) => {
    if (key === 'b' && isBroken) throw new UpstreamError('S3 cannot be reached', { retryable: true });
    return 'saved';
  });
  await expect(contents([A, B])).rejects.toThrow('S3 cannot be reached');
  isBroken = false;
  expect(await contents([A, B])).toEqual(['a v1', 'b v1']);
  expect(downloads.filter((each) => each === 'b v1')).toHaveLength(2);
});

describe('concurrent questions', () => {
  /** A cache whose downloads wait until `finish`. */
  function slowCache() {
    const finished = Promise.withResolvers<void>();
    const stopped: string[] = [];
    const made = cacheWith(async ({ key }, _, signal) => {
      const aborted = new Promise<never>((_resolve, reject) =>
        signal.addEventListener('abort', () => {
          stopped.push(key);
          reject(signal.reason);
        }),
      );
      await Promise.race([finished.promise, aborted]);
      return 'saved';
    });
    return { ...made, stopped, finish: () => finished.resolve() };
  }

  test('share a download', async () => {
    const { contents, downloads, finish } = slowCache();
    const both = Promise.all([contents([A]), contents([A])]);
    finish();
    expect(await both).toEqual([['a v1'], ['a v1']]);
    expect(downloads).toEqual(['a v1']);
  });

  test('share a download that goes on when one of them is aborted', async () => {
    const { contents, downloads, stopped, finish } = slowCache();
    const limit = new AbortController();
    const aborted = contents([A], limit.signal);
    const other = contents([A]);
    limit.abort(new Error('the caller has gone'));
    await expect(aborted).rejects.toThrow('the caller has gone');
    finish();
    expect(await other).toEqual(['a v1']);
    expect([downloads, stopped]).toEqual([['a v1'], []]);
  });
});

test('a question that ends before it waits for its files ends with the reason alone', async () => {
  const { contents } = cacheWith(
    (_file, _path, signal) =>
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
  );
  const unhandled: unknown[] = [];
  const note = (reason: unknown) => unhandled.push(reason);
  process.on('unhandledRejection', note);
  const gone = AbortSignal.abort(new Error('gone'));
  await expect(contents([A], gone)).rejects.toThrow('gone');
  await new Promise(setImmediate);
  process.off('unhandledRejection', note);
  expect(unhandled).toEqual([]);
});
