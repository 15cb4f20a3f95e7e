import { Client } from 'undici';

/** How to reach a server as its administrator. */
export interface Target {
  readonly url: string;
  readonly ca: string;
  readonly cert?: string;
  readonly key?: string;
  readonly token?: string;
}

/** What the load process is asked to do to a server. Times come without the work of getting ready. */
export type Job =
  | { readonly kind: 'namespace'; readonly name: string }
  | {
      readonly kind: 'create';
      readonly namespace: string;
      readonly from: number;
      readonly count: number;
      readonly clients: number;
    }
  | { readonly kind: 'list'; readonly namespace: string; readonly count: number }
  | {
      readonly kind: 'watch';
      readonly namespace: string;
      readonly watchers: number;
      readonly events: number;
      readonly clients: number;
    };

export interface Outcome {
  readonly ms: number;
  readonly bytes: number;
}

/** One keep-alive connection that sends one request at a time. */
export class Wire {
  readonly client: Client;
  readonly headers: Record<string, string>;

  constructor({ url, ca, cert, key, token }: Target) {
    this.client = new Client(url, {
      connect: { ca, ...(cert === undefined || key === undefined ? {} : { cert, key }) },
      pipelining: 1,
      bodyTimeout: 0,
    });
    this.headers = {
      'content-type': 'application/json',
      accept: 'application/json',
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    };
  }

  async send(method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, wanted: number, body?: string): Promise<string> {
    const answer = await this.client.request({
      method,
      path,
      headers: this.headers,
      ...(body === undefined ? {} : { body }),
    });
    const text = await answer.body.text();
    if (answer.statusCode !== wanted)
      throw new Error(`${method} ${path} answered ${answer.statusCode} instead of ${wanted}: ${text.slice(0, 300)}`);
    return text;
  }

  close(): Promise<void> {
    return this.client.destroy();
  }
}

export async function withWires<T>(
  target: Target,
  count: number,
  use: (wires: readonly Wire[]) => Promise<T>,
): Promise<T> {
  const wires = Array.from({ length: count }, () => new Wire(target));
  try {
    // The handshakes are not part of what is measured.
    await Promise.all(wires.map((wire) => wire.send('GET', '/version', 200)));
    return await use(wires);
  } finally {
    await Promise.all(wires.map((wire) => wire.close()));
  }
}

/** Each connection takes the next piece of work as soon as it has its answer. */
export async function share(
  wires: readonly Wire[],
  count: number,
  work: (wire: Wire, index: number) => Promise<void>,
): Promise<void> {
  let next = 0;
  await Promise.all(
    wires.map(async (wire) => {
      while (next < count) await work(wire, next++);
    }),
  );
}

// About 1 KB, shaped like the settings that people keep in ConfigMaps.
const SETTINGS = Array.from({ length: 16 }, (_, index) => `setting.number-${index}=some value of everyday length`).join(
  '\n',
);

export function configMap(name: string, turn = 0): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, labels: { app: 'bench', part: `p${name.length}` } },
    data: { 'settings.properties': SETTINGS, turn: `${turn}` },
  });
}
