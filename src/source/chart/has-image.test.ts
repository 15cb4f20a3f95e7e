import { afterEach, expect, it } from 'vitest';
import { startRegistry, type Registry } from '../../../world/doubles/index.js';
import type { RepositoryAccess } from '../access/repository-access.js';
import { Cleanup, openTestSources, type TestSources } from '../testing/test-sources.js';

const cleanup = new Cleanup();
afterEach(() => cleanup.run());

async function open(
  access: RepositoryAccess,
): Promise<{ registry: Registry; sources: TestSources; has: (image: string, isPublic?: boolean) => Promise<boolean> }> {
  const registry = await startRegistry({
    images: ['org/web:dev', 'org/secret:1'],
    private: ['org/secret'],
    users: [{ name: 'ci', password: 'CANARY-pw' }],
  });
  cleanup.add(() => registry.close());
  const sources = await openTestSources(cleanup, {
    accessTo: (url) => (url.startsWith('oci://127.0.0.1:') ? access : {}),
  });
  const has = (image: string, isPublic = false): Promise<boolean> => {
    const [repository = '', tag = ''] = image.split(':');
    return sources.hasImage({ host: new URL(registry.url).host, repository, tag, project: 'default', isPublic });
  };
  return { registry, sources, has };
}

it('an image of a registry is there or not, also when it is pushed later', async () => {
  const { registry, has } = await open({ type: 'oci', plainHttp: true });
  expect([await has('org/web:dev'), await has('org/web:main')]).toEqual([true, false]);
  registry.push('org/web:main');
  expect(await has('org/web:main')).toBe(true);
  await expect(has('org/secret:1')).rejects.toThrow(/registry/);
});

it('a private one is asked for with the credentials of its Secret', async () => {
  const { has } = await open({ username: 'ci', password: 'CANARY-pw', plainHttp: true });
  expect(await has('org/secret:1')).toBe(true);
  const wrong = await open({ username: 'ci', password: 'CANARY-no', plainHttp: true });
  await expect(wrong.has('org/secret:1')).rejects.toThrow(/^(?!.*CANARY).*the registry gives no token/);
});

it('a registry that nobody named is not asked, and never one of this machine', async () => {
  const { has } = await open({});
  await expect(has('org/web:dev')).rejects.toThrow(
    /may not be asked: neither argosy.image-registries nor a repository Secret names it/,
  );
  await expect(has('org/web:dev', true)).rejects.toMatchObject({ code: 'SOURCE_REFUSED' });
});
