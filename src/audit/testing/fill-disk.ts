// What happens to an audit log while no file of this process may grow: `fill-disk.ts FILE`. Prints what it saw as JSON.
import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { plainLogger } from '../../model/logging/index.js';
import type { Audit } from '../audit-log.js';
import { openAuditLog, type OpenAudit } from '../open-audit-log.js';

/** More than wait for the disk. */
const MANY = 5010;
const file = process.argv[2] ?? '';
const said: string[] = [];
const timers: (() => void)[] = [];
let now = Date.UTC(2026, 0, 1);

/** As a disk that is full: writes beyond that size of a file fail, and what fits is written. */
function allowBytes(bytes: number | 'unlimited'): void {
  execFileSync('prlimit', ['--pid', String(process.pid), `--fsize=${bytes}:`]);
}

function open(): Promise<OpenAudit> {
  return openAuditLog({
    file,
    keyFile: undefined,
    maxBytes: 1 << 30,
    maxBackups: 0,
    clock: {
      now: () => new Date(now),
      after: (_, act) => {
        timers.push(act);
        return () => undefined;
      },
    },
    log: plainLogger((line) => {
      said.push(line);
    }),
    write: () => undefined,
  });
}

const record = (audit: Audit, object: string): Promise<void> =>
  audit.record({ source: 'api', user: 'ann', verb: 'sync', object, decision: 'allowed', result: 'ok' });

/** Time passes until the log is written again. */
async function recover(audit: Audit): Promise<void> {
  now += 60_000;
  while (audit.counts.isFailing) {
    for (const act of timers.splice(0)) act();
    await new Promise((resolve) => setImmediate(resolve));
  }
}

const first = await open();
await record(first, 'before');
const size = statSync(file).size;
allowBytes(size + 20);
await record(first, 'while full');
const full = { counts: first.counts, grewBy: statSync(file).size - size };
for (let count = 1; count < MANY; count++) void record(first, `late ${count}`);
const { lost } = first.counts;
allowBytes('unlimited');
await recover(first);
await record(first, 'after');
const recovered = first.counts;
await first.close();
// A start on a disk that is full already.
allowBytes(statSync(file).size);
const second = await open();
await record(second, 'at the start');
const started = second.counts.isFailing;
allowBytes('unlimited');
await recover(second);
await second.close();
process.stdout.write(JSON.stringify({ full, lost, recovered, started, said }));
