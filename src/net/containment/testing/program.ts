import { setTimeout as delay } from 'node:timers/promises';
import { createLogger } from '../../../model/logging/index.js';
import { containProcess, onSetAside, workOn } from '../index.js';

/**
 * A process that works on objects by command, as controllers do: `NAME:throw` breaks in a timer, `NAME:reject` in a
 * promise that nobody awaits, `NAME:abort` ends the process, `-:throw` breaks in no object. Prints what became of each.
 */
const [directory = '', isAfterCrash = '', ...commands] = process.argv.slice(2);
const print = (line: string): void => void process.stdout.write(`${line}\n`);

const contained = containProcess({
  directory,
  isAfterCrash: isAfterCrash === 'crashed',
  now: Date.now,
  log: createLogger({ level: 'error', format: 'json', now: Date.now, write: () => undefined }),
  giveUp: (fault) => {
    print(`gave up: ${fault.code}`);
    process.exit(20);
  },
});
onSetAside(({ name }) => {
  print(`set aside: ${name}`);
});
await Promise.all(
  commands.map(async (command) => {
    const [name = '', how = ''] = command.split(':');
    await workOn(
      () => (name === '-' ? undefined : name),
      async () => {
        print(`works on ${name}`);
        await delay(1);
        if (how === 'abort') process.abort();
        if (how === 'throw')
          setTimeout(() => {
            throw new Error('broken');
          }, 1);
        if (how === 'reject') void Promise.reject(new Error('broken'));
        await delay(20);
      },
    );
  }),
);
await delay(50);
print('goes on');
contained.close();
