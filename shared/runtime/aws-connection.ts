/**
 * For the clients of AWS in functions: without it, the SDK waits for an answer as long as the function runs. Connections
 * are kept open, as the SDK does by default.
 */
export const AWS_CONNECTION = {
  requestHandler: { connectionTimeout: 1_000, requestTimeout: 2_000, throwOnRequestTimeout: true },
};
