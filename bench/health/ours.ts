import { createInterface } from 'node:readline';
import { runHealthScript } from '../../src/health/index.js';
import { forgetPrograms } from '../../src/health/lua/compile-lua.js';
import type { Answer, Request, HealthVerdict } from './line-process.js';
import { assessMixed } from './mixed.js';
import type { Subject } from './subjects.js';

/** Our side of the comparison, bundled as the product is and run in a process of its own. */
const loaded = new Map<string, Subject>();

function assess({ script, objects, openLibs }: Subject, index: number): HealthVerdict {
  const health = runHealthScript(script, objects[index % objects.length] ?? {}, {
    openLibs,
    now: Date.now,
    elapsed: () => performance.now(),
  });
  return { status: health?.status ?? '', message: health?.message ?? '' };
}

function timed(work: () => void): Answer {
  const begin = performance.now();
  work();
  return { ms: performance.now() - begin };
}

function answer(request: Request): Answer {
  if (request.kind === 'load') {
    loaded.set(request.name, request);
    return { verdicts: request.objects.map((_, index) => assess(request, index)) };
  }
  if (request.kind === 'mixed') return assessMixed(request, [...loaded.values()]);
  const subject = loaded.get(request.name);
  if (subject === undefined) throw new Error(`${request.name} was not loaded`);
  if (request.kind === 'run')
    return timed(() => {
      for (let i = 0; i < request.count; i++) assess(subject, i);
    });
  return timed(() => {
    for (let i = 0; i < request.count; i++) {
      forgetPrograms();
      assess(subject, i);
    }
  });
}

createInterface({ input: process.stdin }).on('line', (line) =>
  process.stdout.write(`${JSON.stringify(answer(JSON.parse(line) as Request))}\n`),
);
