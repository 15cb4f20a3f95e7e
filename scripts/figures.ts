/** Figures of the code base: widths, sizes, walls, doors, words. `npm run figures`; checks/house.test.ts holds them. */
import { measureHouse } from '../checks/house/measure.js';

for (const { name, value, places } of measureHouse()) {
  console.log(`${String(value).padStart(8)}  ${name}`);
  if (process.argv.includes('--places')) for (const place of places) console.log(`${' '.repeat(10)}${place}`);
}
