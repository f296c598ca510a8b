declare module 'dynalite' {
  import type { Server } from 'node:http';

  interface DynaliteOptions {
    /** Folder of the LevelDB store. Default: in memory. */
    path?: string;
    createTableMs?: number;
  }

  /** A DynamoDB emulator. Closing the server closes its store. */
  export default function dynalite(options?: DynaliteOptions): Server;
}
