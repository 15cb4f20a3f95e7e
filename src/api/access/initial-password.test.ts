import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openAppLab, type AppLab } from '../../../contracts/cli/app-lab.js';
import { SECRETS } from '../../model/resources/index.js';
import { textAt } from '../../model/json/index.js';
import { InitialPassword, INITIAL_ADMIN_SECRET } from './initial-password.js';

const ID = { namespace: 'argocd', name: INITIAL_ADMIN_SECRET };
let lab: AppLab;
let hash: string | undefined;

/** What a replica does: keeps a password, stores its hash if there is none yet, settles. */
async function start(own: string): Promise<string | undefined> {
  const initial = new InitialPassword(lab.cluster, 'argocd');
  const password = await initial.keep(own, () => Promise.resolve(hash !== undefined));
  if (password === undefined) return undefined;
  hash ??= `hash of ${password}`;
  await initial.settle();
  return password;
}

async function stored(): Promise<{ readonly password: string; readonly annotations: object }> {
  const secret = await lab.cluster.get(SECRETS, ID);
  const password = Buffer.from(textAt(secret, 'data', 'password'), 'base64').toString();
  return { password, annotations: secret?.metadata.annotations ?? {} };
}

beforeAll(async () => {
  lab = await openAppLab();
});
afterAll(() => lab.close());
beforeEach(async () => {
  hash = undefined;
  const uid = (await lab.cluster.get(SECRETS, ID))?.metadata.uid;
  if (uid !== undefined) await lab.cluster.remove(SECRETS, ID, { uid });
});

describe('the first password of admin', () => {
  it('is one for replicas that start together, and its hash is that of the Secret', async () => {
    const chosen = await Promise.all(Array.from({ length: 6 }, (_, index) => start(`password-${index}`)));
    const { password, annotations } = await stored();
    expect(new Set(chosen.filter((each) => each !== undefined))).toEqual(new Set([password]));
    expect([hash, annotations]).toEqual([`hash of ${password}`, {}]);
  });

  it('survives a process that ends before its hash is stored', async () => {
    await new InitialPassword(lab.cluster, 'argocd').keep('first', () => Promise.resolve(false));
    expect((await stored()).annotations).toEqual({ 'argosy.dev/pending': 'true' });
    expect(await start('second')).toBe('first');
    expect([hash, await stored()]).toEqual(['hash of first', { password: 'first', annotations: {} }]);
  });

  it('is a new one after the hash was removed, and none where there is a hash', async () => {
    await start('first');
    expect(await start('second')).toBeUndefined();
    hash = undefined;
    expect(await start('third')).toBe('third');
    expect([hash, (await stored()).password]).toEqual(['hash of third', 'third']);
  });
});
