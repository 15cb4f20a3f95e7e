import { webClient } from '../../contracts/harness/rpc-client.js';
import type { JsonObject } from '../../src/model/json/index.js';

/** Many clients of gRPC-Web in one process: each watches, and asks something now and then, until the time is over. */
export interface CallersTask {
  readonly url: string;
  readonly token: string;
  readonly clients: number;
  readonly seconds: number;
}

export interface CallersResult {
  readonly calls: number;
  readonly events: number;
  readonly failures: Readonly<Record<string, number>>;
  readonly milliseconds: readonly number[];
}

const SERVICE = 'application.ApplicationService';
const MAX_SAMPLES = 20_000;
/** A stream ends when the time is over that the client gave it. */
const DEADLINE_EXCEEDED = 4;

async function run({ url, token, clients, seconds }: CallersTask): Promise<CallersResult> {
  const end = performance.now() + seconds * 1000;
  const client = webClient(url);
  const failures: Record<string, number> = {};
  const milliseconds: number[] = [];
  let [calls, events] = [0, 0];
  const note = (failure: string): void => {
    failures[failure] = (failures[failure] ?? 0) + 1;
  };
  const follow = async (index: number): Promise<void> => {
    const message: JsonObject = index % 2 === 0 ? {} : { name: applicationName(index) };
    try {
      const left = Math.max(1, Math.ceil(end - performance.now()));
      const answer = await client.call(`${SERVICE}/Watch`, message, {
        token,
        headers: { 'grpc-timeout': `${left}m` },
      });
      events += answer.messages.length;
      if (answer.code !== DEADLINE_EXCEEDED) note(`Watch ended with ${answer.code} ${answer.message}`);
    } catch (error) {
      note(`Watch: ${error instanceof Error ? error.message : String(error)}`);
    }
  };
  const ask = async (index: number): Promise<void> => {
    const methods = [
      ['Get', { name: applicationName(index) }],
      ['GetApplicationSyncWindows', { name: applicationName(index) }],
      ['Get', { name: applicationName(index), appNamespace: 'argocd' }],
      ['List', { selector: `team=team-${index % 20}` }],
    ] as const;
    const [name, message] = methods[index % methods.length] ?? ['Get', { name: applicationName(index) }];
    const begun = performance.now();
    try {
      const { code, message: said } = await client.call(`${SERVICE}/${name}`, message, { token });
      calls++;
      if (milliseconds.length < MAX_SAMPLES) milliseconds.push(performance.now() - begun);
      if (code !== 0) note(`${name} ${code} ${said}`);
    } catch (error) {
      note(`${name}: ${error instanceof Error ? error.message : String(error)}`);
    }
  };
  await Promise.all(
    Array.from({ length: clients }, async (_, index) => {
      const stream = follow(index);
      while (performance.now() < end) {
        await ask(index);
        // A person or a script does not ask without a breath.
        await new Promise((resolve) => setTimeout(resolve, 500 + (index % 10) * 100));
      }
      await stream;
    }),
  );
  return { calls, events, failures, milliseconds };
}

function applicationName(index: number): string {
  return `app-${String(index % 50).padStart(4, '0')}`;
}

process.once('message', (task: CallersTask) => {
  void run(task).then((result) => {
    process.send?.(result, () => process.exit(0));
  });
});
