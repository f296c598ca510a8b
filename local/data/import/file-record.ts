/** A record: its values by column name, or why it is invalid. `line` counts from 1; in Parquet it is the row. */
export type FileRecord = { line: number } & ({ values: Record<string, unknown> } | { problem: string });
