import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Provider } from '../../src/api/access/oidc/provider.js';
import { issueCertificate } from '../../src/model/certificates/index.js';
import { connect, systemClock, type Cluster } from '../../src/cluster/index.js';
import { Sender } from '../../src/control/notify/send.js';
import { Cleanup, openTestSources } from '../../src/source/testing/test-sources.js';

const DAY = 86_400_000;
const now = Date.now();
const authority = {
  ...issueCertificate({ commonName: 'ours', use: 'authority', notBefore: new Date(now - 30 * DAY), days: 60 }),
  commonName: 'ours',
};
const HERE = {
  commonName: 'server',
  use: 'server',
  hosts: ['127.0.0.1'],
  notBefore: new Date(now - DAY),
  days: 2,
} as const;

/** Servers that are not who they should be, each for one reason alone, and one that is. */
const SERVERS = {
  fine: issueCertificate(HERE, authority),
  'made by nobody that is known': issueCertificate(HERE),
  'for another name': issueCertificate({ ...HERE, hosts: ['other.example.com'] }, authority),
  'no longer valid': issueCertificate({ ...HERE, notBefore: new Date(now - 20 * DAY), days: 10 }, authority),
  'not yet valid': issueCertificate({ ...HERE, notBefore: new Date(now + DAY) }, authority),
};
type Name = keyof typeof SERVERS;

const cleanup = new Cleanup();

async function withCluster<T>(url: string, act: (cluster: Cluster) => Promise<T>): Promise<T> {
  const cluster = connect(
    {
      context: 'x',
      server: url,
      namespace: 'default',
      skipTlsVerify: false,
      authority: { kind: 'text', pem: authority.certificate },
      user: { token: 'canary' },
    },
    { clock: systemClock, random: Math.random, report: () => undefined },
    { version: '0', environment: {} },
  );
  try {
    return await act(cluster);
  } finally {
    await cluster.close();
  }
}

/** Everybody who goes out with credentials, with trust in our authority; each fails where nobody answered. */
const WAYS: Readonly<Record<string, (url: string) => Promise<unknown>>> = {
  'a provider of logins': async (url) => {
    const provider = new Provider(url, authority.certificate, { now: () => now, steady: () => performance.now() });
    try {
      return await provider.endpoints();
    } finally {
      await provider.close();
    }
  },
  'a cluster': (url) => withCluster(url, (cluster) => cluster.document('/version', { limits: { tries: 1 } })),
  'a terminal in a cluster': (url) =>
    withCluster(url, (cluster) =>
      cluster.exec({ namespace: 'a', pod: 'b', container: 'c', command: ['sh'] }, () => undefined),
    ),
  'a git repository': async (url) =>
    (
      await openTestSources(cleanup, {
        accessTo: () => ({ username: 'u', password: 'canary', certificateAuthority: authority.certificate }),
      })
    ).resolve({ url: `${url}/app.git` }, 'main'),
  'a chart repository': async (url) =>
    (
      await openTestSources(cleanup, {
        accessTo: () => ({
          type: 'helm',
          username: 'u',
          password: 'canary',
          certificateAuthority: authority.certificate,
        }),
      })
    ).listCharts({ url }),
};

describe('S22: nobody is told anything who is not who they should be', () => {
  const requests = new Map<string, number>();
  const urls = new Map<string, string>();
  const servers = Object.entries(SERVERS).map(([name, { certificate, key }]) => ({
    name,
    server: createServer({ cert: certificate, key }, (_, response) => {
      requests.set(name, (requests.get(name) ?? 0) + 1);
      response.end('{}');
    }),
  }));

  beforeAll(async () => {
    for (const { name, server } of servers) {
      await new Promise<void>((resolve) => {
        server.listen(0, '127.0.0.1', () => {
          resolve();
        });
      });
      urls.set(name, `https://127.0.0.1:${(server.address() as AddressInfo).port}`);
    }
  });
  afterAll(async () => {
    await cleanup.run();
    for (const { server } of servers) {
      server.closeAllConnections();
      server.close();
    }
  });

  it.each(Object.keys(WAYS))('%s', async (way) => {
    for (const name of Object.keys(SERVERS) as Name[]) {
      requests.delete(name);
      const outcome = await (WAYS[way]?.(urls.get(name) ?? '') ?? Promise.resolve()).then(
        () => 'was answered',
        () => 'failed',
      );
      // The one that is who it should be is spoken to, whatever is made of its answer.
      if (name === 'fine') expect([way, (requests.get(name) ?? 0) > 0]).toEqual([way, true]);
      else expect([way, name, outcome, requests.get(name) ?? 0]).toEqual([way, name, 'failed', 0]);
    }
  });

  it('a receiver of notifications', async () => {
    const sender = new Sender();
    for (const name of (Object.keys(SERVERS) as Name[]).filter((each) => each !== 'fine')) {
      requests.delete(name);
      const sent = await sender.send(
        {
          kind: 'webhook',
          url: urls.get(name) ?? '',
          headers: [{ name: 'Authorization', value: 'canary' }],
          skipsVerification: false,
        },
        { recipient: '', id: 'x', message: { text: 'x' } },
      );
      expect([name, sent.isDone, requests.get(name) ?? 0]).toEqual([name, false, 0]);
    }
    await sender.close();
  });
});
