import { ManualClock } from '../../../shared/runtime/clock.ts';
import { alertStoreIn } from '../../../shared/store/alert-store.ts';
import { openSqliteTable } from '../../../shared/store/sqlite-table.ts';
import { aFiringAlert, NOW } from '../../contracts/samples.ts';

// Saves alerts into the given file, and prints a dot for each, until it is killed or fails. Then it prints why.
try {
  const store = alertStoreIn(openSqliteTable(process.argv[2] ?? '', new ManualClock(NOW)));
  const [, , , writer = 'a'] = process.argv;
  for (let i = 0; ; i++) {
    await store.save(aFiringAlert({ segment: `${writer}${i}` }));
    // A busy reader must get it before the next write.
    await new Promise((resolve) => process.stdout.write('.', resolve));
  }
} catch (error) {
  console.error(`${error}`);
}
