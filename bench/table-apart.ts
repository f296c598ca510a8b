import { systemClock } from '../shared/runtime/clock.ts';
import { openEmulatedTable } from '../test/fixtures/dynamodb.ts';

// A child process that holds the emulator's in-memory table until its parent disconnects.
const { socketPath, close } = await openEmulatedTable(systemClock);
process.once('disconnect', () => void close());
process.send?.({ socketPath });
