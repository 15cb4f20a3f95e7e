// Writes to an audit log without end, and says which lines are written: `write-log.ts FILE`.
import { NO_LOG } from '../../model/logging/index.js';
import { openAuditLog } from '../open-audit-log.js';

const WRITERS = 8;

const audit = await openAuditLog({
  file: process.argv[2] ?? '',
  keyFile: undefined,
  maxBytes: 20_000,
  maxBackups: 0,
  clock: { now: () => new Date(), after: () => () => undefined },
  log: NO_LOG,
  write: () => undefined,
});

async function writeForEver(writer: number): Promise<void> {
  for (let count = 0; ; count++) {
    const object = `shop/${process.pid}-${writer}-${count}`;
    await audit.record({ source: 'api', user: 'ann', verb: 'sync', object, decision: 'allowed', result: 'ok' });
    process.stdout.write(`${object}\n`);
  }
}

await Promise.all(Array.from({ length: WRITERS }, (_, writer) => writeForEver(writer)));
