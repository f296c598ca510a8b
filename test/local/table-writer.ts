import { openLocalTable } from '../../local/table.ts';
import { ManualClock } from '../../shared/runtime/clock.ts';
import { alertStoreIn } from '../../shared/store/alert-store.ts';
import { aFiringAlert, NOW } from '../contracts/samples.ts';

// Saves alerts into the given folder, prints "saved" and keeps the table open until it is killed.
const table = await openLocalTable(new ManualClock(NOW), process.argv[2]);
const store = alertStoreIn(table);
for (let i = 0; i < 50; i++) await store.save(aFiringAlert({ segment: `s${i}` }));
process.stdout.write('saved');
