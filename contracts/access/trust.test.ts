import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { issueCertificate } from '../../src/model/certificates/index.js';
import type { JsonObject } from '../../src/model/json/index.js';
import { hasGpg, TestSigner } from '../../src/source/testing/test-signer.js';
import { Cleanup } from '../../src/source/testing/test-sources.js';
import { embeddedMissing } from '../embedded/embedded-server.js';
import type { HttpResponse } from '../harness/send-request.js';
import { AccessLab } from './access-lab.js';
import { CONFIG_MAPS } from '../../src/model/resources/index.js';

const missing = embeddedMissing();
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const [ONE, OTHER] = ['a', 'b'].map((commonName) =>
  issueCertificate({ commonName, use: 'server', notBefore: new Date(0), days: 1 }).certificate.trim(),
);
const KEY = 'AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl';

describe.skipIf(missing !== undefined)(
  `what is trusted, over the API${missing === undefined ? '' : ` (${missing})`}`,
  () => {
    const cleanup = new Cleanup();
    let lab: AccessLab;
    let admin = '';
    const send = (method: string, path: string, body?: unknown): Promise<HttpResponse> =>
      lab.request(path, { method, token: admin, ...(body === undefined ? {} : { body }) });
    const data = async (name: string): Promise<JsonObject> =>
      ((await lab.cluster.get(CONFIG_MAPS, { namespace: 'argocd', name }))?.data ?? {}) as JsonObject;
    const names = async (query = ''): Promise<string> =>
      ((await send('GET', `/api/v1/certificates${query}`)).body.items as JsonObject[])
        .map((item) => `${String(item.certType)} ${String(item.serverName)}`)
        .join(', ');
    const until = (wanted: string): Promise<void> =>
      lab.until(`it knows ${wanted}`, async () => (await names()) === wanted);

    beforeAll(async () => {
      lab = await AccessLab.open();
      admin = await lab.token();
      await lab.settings('argocd-ssh-known-hosts-cm', { ssh_known_hosts: `# by hand\nold.example.com ssh-rsa AAAA\n` });
      await until('ssh old.example.com');
    });
    afterAll(async () => {
      await cleanup.run();
      await lab.close();
    });

    it('certificates and host keys come, are listed by pattern, and go; what was there by hand stays', async () => {
      const { status, body } = await send('POST', '/api/v1/certificates', {
        items: [
          { serverName: 'git.example.com', certType: 'https', certData: base64(ONE ?? '') },
          { serverName: 'git.example.com', certType: 'ssh', certSubType: 'ssh-ed25519', certData: base64(KEY) },
        ],
      });
      expect([status, (body.items as JsonObject[]).map(({ certData }) => certData)]).toEqual([200, [null, null]]);
      await until('ssh old.example.com, ssh git.example.com, https git.example.com');
      expect([
        await names('?hostNamePattern=git.*'),
        await names('?certType=ssh'),
        await names('?certSubType=ssh-rsa'),
      ]).toEqual([
        'ssh git.example.com, https git.example.com',
        'ssh old.example.com, ssh git.example.com',
        'ssh old.example.com',
      ]);
      expect(await data('argocd-ssh-known-hosts-cm')).toEqual({
        ssh_known_hosts: `# by hand\nold.example.com ssh-rsa AAAA\ngit.example.com ssh-ed25519 ${KEY}\n`,
      });
      expect(await data('argocd-tls-certs-cm')).toEqual({ 'git.example.com': ONE });
      expect((await send('DELETE', '/api/v1/certificates?hostNamePattern=git.example.com&certType=ssh')).status).toBe(
        200,
      );
      await until('ssh old.example.com, https git.example.com');
    });

    it('another certificate of the same server is an error unless one says so', async () => {
      const other = { items: [{ serverName: 'git.example.com', certType: 'https', certData: base64(OTHER ?? '') }] };
      expect((await send('POST', '/api/v1/certificates', other)).status).toBe(400);
      expect((await send('POST', '/api/v1/certificates?upsert=true', other)).status).toBe(200);
      expect(await data('argocd-tls-certs-cm')).toEqual({ 'git.example.com': OTHER });
    });

    it.each([
      ['no certificate', { items: [{ serverName: 'a', certType: 'https', certData: base64('none') }] }],
      ['another kind', { items: [{ serverName: 'a', certType: 'ftp', certData: '' }] }],
      [
        'a line in a name',
        { items: [{ serverName: 'a\nb', certType: 'ssh', certSubType: 'ssh-rsa', certData: base64(KEY) }] },
      ],
      [
        'a line in a key',
        {
          items: [
            { serverName: 'a', certType: 'ssh', certSubType: 'ssh-rsa', certData: base64(`${KEY}\nb ssh-rsa AAAA`) },
          ],
        },
      ],
      ['no list', { items: 'all' }],
    ])('%s is refused', async (_, body) => {
      expect((await send('POST', '/api/v1/certificates', body)).status).toBe(400);
    });

    it('nothing is forgotten without a pattern', async () => {
      expect((await send('DELETE', '/api/v1/certificates')).status).toBe(400);
    });

    it.skipIf(!hasGpg())(
      `keys that sign commits come and go, by the ID that gpg gives them${hasGpg() ? '' : ' (skipped: gpg)'}`,
      async () => {
        const { publicKey, keyId, fingerprint } = new TestSigner(cleanup, 'Ada');
        const made = await send('POST', '/api/v1/gpgkeys', { keyData: publicKey });
        const key = { keyID: keyId, fingerprint, owner: 'Ada <ada@example.org>' };
        const told = { ...key, trust: 'unknown', subType: 'ed25519' };
        expect([made.status, made.body]).toEqual([
          200,
          {
            created: { metadata: {}, items: [told] },
            skipped: [],
          },
        ]);
        await lab.until('it is known', async () => (await send('GET', `/api/v1/gpgkeys/${keyId}`)).status === 200);
        expect((await send('POST', '/api/v1/gpgkeys', { keyData: publicKey })).body).toMatchObject({
          skipped: [keyId],
        });
        expect((await send('GET', `/api/v1/gpgkeys/${keyId}`)).body.keyData).toBe(publicKey.trim());
        expect((await send('DELETE', `/api/v1/gpgkeys?keyID=${keyId}`)).status).toBe(200);
        await lab.until('it is gone', async () => (await send('GET', `/api/v1/gpgkeys/${keyId}`)).status === 404);
      },
    );

    it.each([
      ['nothing', ''],
      ['no key', 'none'],
      ['a broken key', '-----BEGIN PGP PUBLIC KEY BLOCK-----\n\nmDM=\n-----END PGP PUBLIC KEY BLOCK-----'],
    ])('%s is no key', async (_, keyData) => {
      expect((await send('POST', '/api/v1/gpgkeys', { keyData })).status).toBe(400);
    });
  },
);
