import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/model/index.js';
import { embeddedMissing } from '../embedded/embedded-server.js';
import { AccessLab } from './access-lab.js';

const missing = embeddedMissing();
const URL = 'https://127.0.0.1:1/one';
const PATH = `/api/v1/repositories/${encodeURIComponent(URL)}`;
const MANY = 64;
const ROUNDS = 4;

describe.skipIf(missing !== undefined)(`many at one repository${missing === undefined ? '' : ` (${missing})`}`, () => {
  let lab: AccessLab;
  let token = '';
  beforeAll(async () => {
    lab = await AccessLab.open();
    token = await lab.token();
    await lab.cluster.create({ group: '', version: 'v1', kind: 'Secret', plural: 'secrets', namespaced: true }, { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'one', namespace: 'argocd', labels: { 'argocd.argoproj.io/secret-type': 'repository' } }, stringData: { url: URL, username: 'writer-start', password: 'word-start', proxy: 'http://start.example.com:1' } });
    await lab.until('it is known', async () => (await lab.ask(PATH, { token })).status === 200);
  });
  afterAll(async () => { await lab.close(); });

  const stored = async (): Promise<Record<string, string>> => {
    const data = (await lab.readSecret('one'))?.data as Record<string, string> | undefined;
    return Object.fromEntries(Object.entries(data ?? {}).map(([key, value]) => [key, Buffer.from(value, 'base64').toString('utf8')]));
  };
  const numberIn = (text: unknown, pattern: RegExp): string => pattern.exec(String(text))?.[1] ?? 'none';

  it(`S33: ${MANY} writers and readers: no update is lost, nobody reads two halves`, async () => {
    const taken: string[] = [];
    const refused: number[] = [];
    const torn: unknown[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      await Promise.all(Array.from({ length: MANY }, async (_, index) => {
        const id = `${round}-${index}`;
        if (index % 2 === 0) {
          // Every other writer has a key where the others have a password: neither may be left beside the other.
          const secret: JsonObject = index % 4 === 0 ? { password: `word-${id}` } : { bearerToken: `token-${id}` };
          const { status } = await lab.ask(PATH, { method: 'PUT', token, body: { repo: URL, username: `writer-${id}`, proxy: `http://${id}.example.com:1`, ...secret } });
          if (status === 200) taken.push(id);
          else refused.push(status);
          return;
        }
        for (let look = 0; look < 4; look++) {
          const { body } = await lab.ask(PATH, { token });
          const [name, proxy] = [numberIn(body.username, /^writer-(.+)$/), numberIn(body.proxy, /^http:\/\/(.+)\.example\.com/)];
          if (name !== proxy) torn.push([name, proxy]);
        }
      }));
      const { username, proxy = '', password, bearerToken } = await stored();
      const last = numberIn(username, /^writer-(.+)$/);
      expect(taken).toContain(last);
      expect([numberIn(proxy, /^http:\/\/(.+)\.example\.com/), [password, bearerToken].filter((each) => each !== undefined)]).toEqual([last, [password === undefined ? `token-${last}` : `word-${last}`]]);
    }
    expect(torn).toEqual([]);
    // Who comes too late is told so, and nothing of theirs is written.
    expect([...new Set(refused)].filter((status) => status !== 409)).toEqual([]);
    expect(taken.length).toBeGreaterThanOrEqual(ROUNDS);
  });

  it('S33: of many that create the same one becomes it, and the others are told', async () => {
    const url = 'https://127.0.0.1:1/new';
    const make = (index: number) => lab.ask('/api/v1/repocreds', { method: 'POST', token, body: { url, username: `maker-${index}`, password: `word-${index}` } });
    const statuses = (await Promise.all(Array.from({ length: MANY }, (_, index) => make(index)))).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    expect(statuses.every((status) => [200, 400, 409].includes(status))).toBe(true);
    await lab.until('it is known', async () => (await lab.ask('/api/v1/repocreds', { token })).text.includes(url));
    expect((await lab.ask('/api/v1/repocreds', { token })).body.items).toHaveLength(1);
  });
});
