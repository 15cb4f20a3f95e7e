import type { JsonObject } from '../../src/model/json/index.js';
import type { KubeObject } from '../../src/model/kubernetes/index.js';
import type { AccessLab } from './access-lab.js';
import { SECRETS } from '../../src/model/resources/index.js';

const URL = 'https://127.0.0.1:1/one';
const PATH = `/api/v1/repositories/${encodeURIComponent(URL)}`;
const MANY = 64;

/** What many writers and readers of one repository came to. */
export interface Contest {
  readonly taken: number;
  readonly refused: number;
  readonly reads: number;
  /** States that the cluster kept, one after the other. */
  readonly states: number;
  /** Empty where no update was lost and nobody saw two halves. */
  readonly wrong: readonly string[];
}

/**
 * 64 at once, every other one a writer, each turn after turn. Each write carries its own mark in three fields, so that
 * a mixture shows. What the cluster kept is read from a watch: every write that was taken must be among it, none that
 * was refused.
 */
export async function contend(lab: AccessLab, token: string, mayGoOn: (turn: number) => boolean): Promise<Contest> {
  const history = await openHistory(lab);
  await lab.until('it is known', async () => (await lab.request(PATH, { token })).status === 200);
  const [taken, refused, wrong]: [Set<string>, Set<string>, Set<string>] = [new Set(), new Set(), new Set()];
  let reads = 0;
  const write = async (id: string, hasPassword: boolean): Promise<void> => {
    // Some have a token where others have a password: neither may be left beside the other.
    const secret: JsonObject = hasPassword ? { password: `word-${id}` } : { bearerToken: `token-${id}` };
    const { status, text } = await lab.request(PATH, {
      method: 'PUT',
      token,
      body: { repo: URL, username: `writer-${id}`, proxy: `http://${id}.example.com:1`, ...secret },
    });
    (status === 200 ? taken : refused).add(id);
    if (status !== 200 && status !== 409) wrong.add(`a writer got ${status}: ${text}`);
  };
  const read = async (): Promise<void> => {
    const { status, body, text } = await lab.request(PATH, { token });
    reads++;
    if (status !== 200) wrong.add(`a reader got ${status}: ${text}`);
    else if (markIn(body.username, USERNAME) !== markIn(body.proxy, PROXY))
      wrong.add(`a reader saw ${String(body.username)} with ${String(body.proxy)}`);
  };
  await Promise.all(
    Array.from({ length: MANY }, async (_, index) => {
      for (let turn = 0; mayGoOn(turn); turn++)
        await (index % 2 === 0 ? write(`${turn}-${index}`, index % 4 === 0) : read());
    }),
  );
  const states = await history.close();
  for (const state of states) if (state.problem !== undefined) wrong.add(state.problem);
  const kept = new Set(states.map(({ mark }) => mark));
  for (const id of taken) if (!kept.has(id)) wrong.add(`the write ${id} was taken, and the cluster never had it`);
  for (const id of refused) if (kept.has(id)) wrong.add(`the write ${id} was refused, and the cluster had it`);
  return { taken: taken.size, refused: refused.size, reads, states: states.length, wrong: [...wrong] };
}

const USERNAME = /^writer-(.+)$/;
const PROXY = /^http:\/\/(.+)\.example\.com:1$/;

function markIn(text: unknown, pattern: RegExp): string {
  return pattern.exec(String(text))?.[1] ?? 'none';
}

interface State {
  readonly mark: string;
  readonly problem?: string;
}

/** Makes the repository, and follows everything that becomes of it. */
async function openHistory(lab: AccessLab): Promise<{ close(): Promise<readonly State[]> }> {
  const made = await lab.cluster.create(SECRETS, {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'one', namespace: 'argocd', labels: { 'argocd.argoproj.io/secret-type': 'repository' } },
    stringData: { url: URL, username: 'writer-start', password: 'word-start', proxy: 'http://start.example.com:1' },
  });
  const states: State[] = [];
  let version = '';
  const stop = new AbortController();
  const followed = lab.cluster.watch(
    SECRETS,
    { namespace: 'argocd', fieldSelector: 'metadata.name=one', resourceVersion: made.metadata.resourceVersion ?? '' },
    {
      event: (event) => {
        if (event.type === 'BOOKMARK') return;
        version = event.object.metadata.resourceVersion ?? '';
        states.push(stateOf(event.object));
      },
    },
    stop.signal,
  );
  return {
    close: async () => {
      const last = await lab.cluster.get(SECRETS, { namespace: 'argocd', name: 'one' });
      await lab.until('everything was heard', () => Promise.resolve(version === last?.metadata.resourceVersion));
      stop.abort();
      await followed.catch(() => undefined);
      return states;
    },
  };
}

function stateOf({ data }: KubeObject): State {
  const plain = Object.fromEntries(
    Object.entries(data as Record<string, string>).map(([key, value]) => [
      key,
      Buffer.from(value, 'base64').toString('utf8'),
    ]),
  );
  const { username, proxy, password, bearerToken } = plain;
  const mark = markIn(username, USERNAME);
  const secrets = [password, bearerToken].filter((each) => each !== undefined);
  const isWhole =
    markIn(proxy, PROXY) === mark &&
    secrets.length === 1 &&
    secrets[0] === (password === undefined ? `token-${mark}` : `word-${mark}`);
  return isWhole
    ? { mark }
    : { mark, problem: `the cluster had ${String(username)} with ${String(proxy)} and ${secrets.join(', ')}` };
}
