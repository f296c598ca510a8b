/** What opening the tables of a team needs. */
export interface TableDeps {
  /** The value of a secret. */
  readonly readSecret: (name: string) => Promise<string>;
  /** Where relative paths of files begin. */
  readonly folder: string;
}
