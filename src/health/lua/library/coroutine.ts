import { coroutineStatus, yieldHost } from '../resume.js';
import { hostFunction, type HostLibrary } from '../value.js';
import { checkFunction, checkThread } from './arguments.js';

/** The library `coroutine`. */
export const COROUTINE: HostLibrary = {
  create: (run, args) => [run.newCoroutine(checkFunction(run, args, 1), false)],
  yield: yieldHost,
  resume: (run, args) => run.resume(checkThread(run, args, 1), args.slice(1)),
  running: (run) => [run.running],
  status: (run, args) => [coroutineStatus(run, checkThread(run, args, 1))],
  wrap: (run, args) => {
    const coroutine = run.newCoroutine(checkFunction(run, args, 1), true);
    return [hostFunction((inner, values) => inner.resume(coroutine, values))];
  },
};
