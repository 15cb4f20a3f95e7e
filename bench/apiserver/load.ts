import { watchEvents } from './watch-events.js';
import { configMap, share, withWires, type Job, type Outcome, type Target } from './wire.js';

/**
 * Does one job. Fails where the server answers anything but what was expected, so no figure comes from wrong answers.
 */
export async function runJob(target: Target, job: Job): Promise<Outcome> {
  switch (job.kind) {
    case 'namespace':
      return createNamespace(target, job.name);
    case 'create':
      return createMany(target, job);
    case 'list':
      return listAll(target, job);
    case 'watch':
      return watchEvents(target, job);
    default:
      return job satisfies never;
  }
}

async function createNamespace(target: Target, name: string): Promise<Outcome> {
  return withWires(target, 1, async ([wire]) => {
    await wire?.send('POST', '/api/v1/namespaces', 201, JSON.stringify({ metadata: { name } }));
    return { ms: 0, bytes: 0 };
  });
}

async function createMany(
  target: Target,
  { namespace, from, count, clients }: Extract<Job, { kind: 'create' }>,
): Promise<Outcome> {
  const bodies = Array.from({ length: count }, (_, index) => configMap(`item-${from + index}`));
  const path = `/api/v1/namespaces/${namespace}/configmaps`;
  return withWires(target, clients, async (wires) => {
    const started = performance.now();
    await share(wires, count, async (wire, index) => {
      await wire.send('POST', path, 201, bodies[index]);
    });
    return { ms: performance.now() - started, bytes: 0 };
  });
}

/** The whole answer is read within the time; that it is complete is checked afterwards. */
async function listAll(target: Target, { namespace, count }: Extract<Job, { kind: 'list' }>): Promise<Outcome> {
  return withWires(target, 1, async ([wire]) => {
    if (wire === undefined) throw new Error('no connection');
    const started = performance.now();
    const answer = await wire.client.request({
      method: 'GET',
      path: `/api/v1/namespaces/${namespace}/configmaps`,
      headers: wire.headers,
    });
    const chunks: Buffer[] = [];
    answer.body.on('data', (chunk: Buffer) => void chunks.push(chunk));
    await new Promise((resolve, reject) => answer.body.once('end', resolve).once('error', reject));
    const ms = performance.now() - started;
    const bytes = Buffer.concat(chunks);
    const { items } = JSON.parse(bytes.toString('utf8')) as { items: readonly unknown[] };
    if (items.length !== count) throw new Error(`a list has ${items.length} items instead of ${count}`);
    return { ms, bytes: bytes.length };
  });
}
