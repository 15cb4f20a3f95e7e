import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { embeddedMissing } from '../embedded/embedded-server.js';
import { AccessLab } from './access-lab.js';
import { contend } from './one-repository.js';

const missing = embeddedMissing();
const MANY = 64;
const ROUNDS = 4;

describe.skipIf(missing !== undefined)(`many at one repository${missing === undefined ? '' : ` (${missing})`}`, () => {
  let lab: AccessLab;
  let token = '';
  beforeAll(async () => {
    lab = await AccessLab.open();
    token = await lab.token();
  });
  afterAll(async () => {
    await lab.close();
  });

  it(`S33: ${MANY} writers and readers: no update is lost, nobody reads two halves`, async () => {
    const { wrong, taken, reads } = await contend(lab, token, (turn) => turn < ROUNDS);
    expect(wrong).toEqual([]);
    expect(taken).toBeGreaterThanOrEqual(ROUNDS);
    expect(reads).toBe((ROUNDS * MANY) / 2);
  });

  it('S33: of many that create the same one becomes it, and the others are told', async () => {
    const url = 'https://127.0.0.1:1/new';
    const make = (index: number) =>
      lab.request('/api/v1/repocreds', {
        method: 'POST',
        token,
        body: { url, username: `maker-${index}`, password: `word-${index}` },
      });
    const statuses = (await Promise.all(Array.from({ length: MANY }, (_, index) => make(index)))).map(
      ({ status }) => status,
    );
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    expect(statuses.every((status) => [200, 400, 409].includes(status))).toBe(true);
    await lab.until('it is known', async () => (await lab.request('/api/v1/repocreds', { token })).text.includes(url));
    expect((await lab.request('/api/v1/repocreds', { token })).body.items).toHaveLength(1);
  });
});
