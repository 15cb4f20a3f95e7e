/**
 * Many clients in one process: each does one thing again and again until the time is over, and tells how long answers
 * took.
 */
export interface ClientsTask {
  readonly url: string;
  readonly token: string;
  readonly password: string;
  readonly clients: number;
  readonly seconds: number;
}

export interface ClientsResult {
  readonly requests: number;
  readonly events: number;
  readonly failures: Readonly<Record<string, number>>;
  readonly milliseconds: readonly number[];
}

const KINDS = ['page', 'filter', 'get', 'fleet', 'stream', 'stream', 'login', 'sync'] as const;
const MAX_SAMPLES = 20_000;

async function run({ url, token, password, clients, seconds }: ClientsTask): Promise<ClientsResult> {
  const end = performance.now() + seconds * 1000;
  const failures: Record<string, number> = {};
  const milliseconds: number[] = [];
  let [requests, events] = [0, 0];
  const headers = { authorization: `Bearer ${token}` };
  const note = (failure: string): void => {
    failures[failure] = (failures[failure] ?? 0) + 1;
  };
  const ask = async (path: string, init: RequestInit = {}): Promise<void> => {
    const begun = performance.now();
    try {
      const response = await fetch(`${url}${path}`, { headers, ...init });
      await response.arrayBuffer();
      requests++;
      if (milliseconds.length < MAX_SAMPLES) milliseconds.push(performance.now() - begun);
      if (response.status >= 500) note(`${path.split('?')[0] ?? ''} ${response.status}`);
    } catch (error) {
      note(`${path.split('?')[0] ?? ''} ${error instanceof Error ? error.message : String(error)}`);
    }
  };
  const follow = async (): Promise<void> => {
    const over = AbortSignal.timeout(Math.max(1, Math.ceil(end - performance.now())));
    try {
      const response = await fetch(`${url}/api/v1/stream/applications?resourceVersion=1`, {
        headers: { ...headers, accept: 'text/event-stream' },
        signal: over,
      });
      if (!response.ok) note(`stream ${response.status}`);
      for await (const chunk of response.body ?? []) events += (chunk as Uint8Array).length > 0 ? 1 : 0;
    } catch (error) {
      if (!over.aborted) note(`stream ${error instanceof Error ? error.message : String(error)}`);
    }
  };
  const act = (kind: (typeof KINDS)[number], index: number): Promise<void> => {
    const name = `app-${String(index % 50).padStart(4, '0')}`;
    switch (kind) {
      case 'page':
        return ask(`/api/v1/applications?limit=50&offset=${(index * 50) % 4000}`);
      case 'filter':
        return ask(`/api/v1/applications?limit=50&search=app-${index % 10}&health=Degraded`);
      case 'get':
        return ask(`/api/v1/applications/${name}`);
      case 'fleet':
        return ask('/api/v1/fleet?limit=100&sync=OutOfSync');
      case 'stream':
        return follow();
      case 'login':
        return ask('/api/v1/session', {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ username: 'admin', password }),
        });
      case 'sync':
        return ask(`/api/v1/applications/${name}/sync`, {
          method: 'POST',
          headers: { ...headers, 'content-type': 'application/json' },
          body: '{"dryRun":true}',
        });
      default:
        return kind satisfies never;
    }
  };
  await Promise.all(
    Array.from({ length: clients }, async (_, index) => {
      const kind = KINDS[index % KINDS.length] ?? 'page';
      while (performance.now() < end) {
        await act(kind, index);
        // A person or a script does not ask without a breath.
        await new Promise((resolve) => setTimeout(resolve, 500 + (index % 10) * 100));
      }
    }),
  );
  return { requests, events, failures, milliseconds };
}

process.once('message', (task: ClientsTask) => {
  void run(task).then((result) => {
    process.send?.(result, () => process.exit(0));
  });
});
