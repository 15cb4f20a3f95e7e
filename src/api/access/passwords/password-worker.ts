import { parentPort } from 'node:worker_threads';
import { compareSync, hashSync } from 'bcryptjs';
import type { PasswordResult, PasswordTask } from './passwords.js';

/**
 * The inside of the thread that reckons with passwords: one after the other, so that answering requests never waits for
 * it.
 */
function answer(task: PasswordTask): PasswordResult {
  const { id, password } = task;
  try {
    return { id, value: task.kind === 'hash' ? hashSync(password, task.cost) : compareSync(password, task.hash) };
  } catch {
    // A hash that bcrypt cannot read fits no password.
    return { id, value: false };
  }
}

parentPort?.on('message', (task: PasswordTask) => {
  parentPort?.postMessage(answer(task));
});
