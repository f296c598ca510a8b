import { Architecture, Code, LayerVersion, Runtime } from 'aws-cdk-lib/aws-lambda';
import type { Bucket } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import { allowTables, type QueryEngine } from './query-engine.ts';

/** DuckDB takes half of it. This much brings one processor and a part of a second one. */
const MEGABYTES = 2048;
/** The most that Lambda offers. It costs a hundredth of the memory. */
const DISK_MEGABYTES = 10_240;
/** The rest is for queries that exceed their memory. */
const FILE_MEGABYTES = 8_000;

interface DuckDbEngineProps {
  bucket: Bucket;
  prefix: string;
  firstDay: string;
  /** The folder of a layer with the native library of DuckDB. */
  layer: string;
}

/** DuckDB in the functions themselves, over local copies of published files. */
export function duckDbEngine(
  parent: Construct,
  { bucket, prefix, firstDay, layer }: DuckDbEngineProps,
): QueryEngine {
  const library = new LayerVersion(new Construct(parent, 'DuckDb'), 'Library', {
    code: Code.fromAsset(layer),
    compatibleArchitectures: [Architecture.ARM_64],
    compatibleRuntimes: [Runtime.NODEJS_24_X],
    description: 'The native library of DuckDB',
    license: 'MIT',
  });
  const LAKE = bucket.s3UrlForObject(prefix);
  return {
    functionProps: {
      megabytes: MEGABYTES,
      diskMegabytes: DISK_MEGABYTES,
      layers: [library],
      environment: { LAKE, FIRST_DAY: firstDay, FILE_MEGABYTES: String(FILE_MEGABYTES) },
    },
    slowAdvice:
      'Look at the duration of each request in the log. If many are slow, set engine: "athena" in dataAccess of the stage in deltawatch.config.ts.',
    allowQuestions: (by) => allowTables(by, bucket, prefix),
  };
}
