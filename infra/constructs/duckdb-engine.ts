import { Architecture, Code, LayerVersion, Runtime } from 'aws-cdk-lib/aws-lambda';
import type { Bucket } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import { allowTables, type QueryEngine } from './query-engine.ts';
import type { WatchedFunction } from './watched-function.ts';

/** DuckDB takes half of it. This much brings one processor and a part of a second one. */
const MEGABYTES = 2048;
/** The most that Lambda offers. It costs a hundredth of the memory. */
const DISK_MEGABYTES = 10_240;
/** The rest is for queries that exceed their memory. */
const FILE_MEGABYTES = 8_000;

interface DuckDbEngineProps {
  bucket: Bucket;
  /** The prefix of the tables. */
  prefix: string;
  firstDay: string;
  /** The folder of a layer with the native library of DuckDB. */
  layer: string;
}

/** DuckDB in the functions themselves, over local copies of published files. */
export class DuckDbEngine extends Construct implements QueryEngine {
  readonly functionProps: QueryEngine['functionProps'];
  readonly slowAdvice =
    'Look at the duration of each request in the log. If many are slow, set engine: "athena" in dataAccess of the stage in deltawatch.config.ts.';
  readonly #props: DuckDbEngineProps;

  constructor(scope: Construct, id: string, props: DuckDbEngineProps) {
    super(scope, id);
    const { bucket, prefix, firstDay, layer } = props;
    this.#props = props;
    const library = new LayerVersion(this, 'Library', {
      code: Code.fromAsset(layer),
      compatibleArchitectures: [Architecture.ARM_64],
      compatibleRuntimes: [Runtime.NODEJS_24_X],
      description: 'The native library of DuckDB',
      license: 'MIT',
    });
    this.functionProps = {
      megabytes: MEGABYTES,
      diskMegabytes: DISK_MEGABYTES,
      layers: [library],
      environment: {
        LAKE: bucket.s3UrlForObject(prefix),
        FIRST_DAY: firstDay,
        FILE_MEGABYTES: String(FILE_MEGABYTES),
      },
    };
  }

  allowQuestions(by: WatchedFunction): void {
    const { bucket, prefix } = this.#props;
    allowTables(by, bucket, prefix);
  }
}
