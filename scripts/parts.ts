// npm run parts [-- NAME...]
// Builds or installs the programs of others that suites start (all, or those named), outside the repository.
import { PARTS } from '../contracts/real/part-table.js';

const names = process.argv.slice(2);
const unknown = names.filter((name) => PARTS[name] === undefined);
if (unknown.length > 0) {
  process.stderr.write(`parts: there is no part ${unknown.join(', ')}. Parts: ${Object.keys(PARTS).join(', ')}.\n`);
  process.exit(20);
}

const say = (line: string): void => void process.stdout.write(`${line}\n`);
let missing = 0;
for (const [name, part] of Object.entries(PARTS)) {
  if (names.length > 0 && !names.includes(name)) continue;
  const there = part.find();
  if (there !== undefined) {
    say(`${name} ${part.version}: there (${there})`);
    continue;
  }
  say(`${name} ${part.version}: making it`);
  const began = performance.now();
  const reason = await part.make();
  if (reason !== undefined) missing += 1;
  say(
    reason === undefined
      ? `${name} ${part.version}: made in ${Math.round((performance.now() - began) / 1000)} s (${part.find() ?? ''})`
      : `${name} ${part.version}: missing (${reason})`,
  );
}
if (missing > 0) say(`${missing} missing: the suites that need them are skipped by name`);
process.exit(missing > 0 ? 1 : 0);
