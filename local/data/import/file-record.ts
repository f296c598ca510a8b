/** One record: its values by column name, or why it cannot be read. Lines count from 1; in Parquet they are rows. */
export type FileRecord = { line: number } & ({ values: Record<string, unknown> } | { problem: string });
