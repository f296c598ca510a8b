// Imported late, because the package is optional. esbuild loses the names of a CommonJS package that is itself imported late.
export { DuckDBInstance } from '@duckdb/node-api';
