// Has a worker render the first of two tasks, hands it the second one, says who it is, and is killed by a test.
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const file = fileURLToPath(new URL('../../../dist/render-worker.js', import.meta.url));
process.on('message', ([first, second]) => {
  const worker = fork(file, [], { serialization: 'advanced', stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
  worker.once('message', () => {
    worker.send(second, () => process.send?.(worker.pid));
  });
  worker.send(first);
});
