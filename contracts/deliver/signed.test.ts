import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { installCrds, readCrds } from '../../src/control/index.js';
import type { JsonObject } from '../../src/model/json/index.js';
import { TestRepository } from '../../src/source/testing/test-repository.js';
import { hasGpg, TestSigner } from '../../src/source/testing/test-signer.js';
import { Cleanup } from '../../src/source/testing/test-sources.js';
import type { Api } from './api.js';
import { Applications } from './applications.js';
import type { Expectation } from './case.js';
import { project, writeSettings } from './controller.js';
import {
  connectCluster,
  CRDS,
  startInProcessController,
  type InProcessController,
} from '../harness/in-process-controller.js';
import { chosenServers } from './removal/servers.js';

// Commits of a project that demands signatures are delivered only with a good one. Keys are made here; each case has a
// branch of its own.
// `npm test` plays all on the embedded server; ARGOSY_CONTRACT chooses servers.
const LONG = 90_000;
const CONTROL = 'argocd';

type Signer = 'ann' | 'bob' | 'stranger' | 'expired' | 'revoked' | 'nobody';

/** What a project demands, given the ids of keys by name. */
type Demand = (id: (name: Exclude<Signer, 'nobody'>) => string, url: string) => JsonObject;

const signatureKeys: Demand = (id) => ({
  signatureKeys: (['ann', 'expired', 'revoked', 'stranger'] as const).map((name) => ({ keyID: id(name) })),
});
const policy =
  (mode: 'none' | 'head' | 'strict', repository?: string): Demand =>
  (id, url) => ({
    sourceIntegrity: {
      git: {
        policies: [
          {
            repos: [{ url: repository ?? url }],
            gpg: { mode, keys: [id('ann'), id('expired'), id('revoked'), id('stranger')] },
          },
        ],
      },
    },
  });

interface Row {
  readonly it: string;
  readonly demand: Demand;
  /** Who signs each commit of the branch, oldest first. */
  readonly commits: readonly Signer[];
  /** What is said of the newest commit; undefined where it is delivered. */
  readonly refusal?: string;
  /** The commit that is named, counted from the newest. */
  readonly named?: number;
}

const ROWS: readonly Row[] = [
  { it: 'signatureKeys: a commit signed by one of them is delivered', demand: signatureKeys, commits: ['ann'] },
  {
    it: 'signatureKeys: an unsigned commit before it does not matter',
    demand: signatureKeys,
    commits: ['nobody', 'ann'],
  },
  {
    it: 'signatureKeys: an unsigned commit is refused',
    demand: signatureKeys,
    commits: ['ann', 'nobody'],
    refusal: 'unsigned',
  },
  {
    it: 'signatureKeys: a key that is not in argocd-gpg-keys-cm is refused',
    demand: signatureKeys,
    commits: ['stranger'],
    refusal: 'signed with key not in keyring',
  },
  {
    it: 'signatureKeys: a key that the project does not name is refused',
    demand: signatureKeys,
    commits: ['bob'],
    refusal: 'signed with unallowed key',
  },
  {
    it: 'signatureKeys: an expired key is refused',
    demand: signatureKeys,
    commits: ['expired'],
    refusal: 'signed with expired key',
  },
  {
    it: 'signatureKeys: a revoked key is refused',
    demand: signatureKeys,
    commits: ['revoked'],
    refusal: 'signed with revoked key',
  },
  {
    it: 'sourceIntegrity head: a signed commit is delivered, whatever came before',
    demand: policy('head'),
    commits: ['nobody', 'ann'],
  },
  {
    it: 'sourceIntegrity head: an unsigned commit is refused',
    demand: policy('head'),
    commits: ['nobody'],
    refusal: 'unsigned',
  },
  {
    it: 'sourceIntegrity head: an unknown key is refused',
    demand: policy('head'),
    commits: ['stranger'],
    refusal: 'signed with key not in keyring',
  },
  {
    it: 'sourceIntegrity head: an expired key is refused',
    demand: policy('head'),
    commits: ['expired'],
    refusal: 'signed with expired key',
  },
  {
    it: 'sourceIntegrity head: a revoked key is refused',
    demand: policy('head'),
    commits: ['revoked'],
    refusal: 'signed with revoked key',
  },
  {
    it: 'sourceIntegrity head: a key that the policy does not name is refused',
    demand: policy('head'),
    commits: ['bob'],
    refusal: 'signed with unallowed key',
  },
  {
    it: 'sourceIntegrity strict: commits that are all signed are delivered',
    demand: policy('strict'),
    commits: ['ann', 'ann'],
  },
  {
    it: 'sourceIntegrity strict: an unsigned commit before a signed one is refused by its name',
    demand: policy('strict'),
    commits: ['nobody', 'ann'],
    refusal: 'unsigned',
    named: 1,
  },
  {
    it: 'sourceIntegrity strict: an unsigned commit after signed ones is refused',
    demand: policy('strict'),
    commits: ['ann', 'nobody'],
    refusal: 'unsigned',
  },
  {
    it: 'sourceIntegrity strict: a revoked key before a good one is refused by its commit',
    demand: policy('strict'),
    commits: ['revoked', 'ann'],
    refusal: 'signed with revoked key',
    named: 1,
  },
  {
    it: 'sourceIntegrity strict: an expired key before a good one is refused by its commit',
    demand: policy('strict'),
    commits: ['expired', 'ann'],
    refusal: 'signed with expired key',
    named: 1,
  },
  {
    it: 'sourceIntegrity strict: an unknown key before a good one is refused by its commit',
    demand: policy('strict'),
    commits: ['stranger', 'ann'],
    refusal: 'signed with key not in keyring',
    named: 1,
  },
  { it: 'sourceIntegrity none: nothing is asked', demand: policy('none'), commits: ['nobody'] },
  {
    it: 'sourceIntegrity of another repository: nothing is asked',
    demand: policy('head', 'https://elsewhere.example.com/*'),
    commits: ['nobody'],
  },
];

describe.each(chosenServers('embedded').map((kind) => [kind.name, kind] as const))(
  'signed commits on %s',
  async (_name, kind) => {
    const absent = hasGpg() ? await kind.missing() : 'skipped: signatures (gpg is missing)';
    if (absent !== undefined) {
      it.skip(absent, () => {
        /* the name says why */
      });
      return;
    }
    const cleanup = new Cleanup();
    const commits = new Map<Row, readonly string[]>();
    let api: Api;
    let controller: InProcessController;
    let repository: TestRepository;
    let signers: Readonly<Record<Exclude<Signer, 'nobody'>, TestSigner>>;
    const nameOf = (row: Row | 'later'): string => `signed-${row === 'later' ? row : ROWS.indexOf(row)}`;
    const idOf = (name: Exclude<Signer, 'nobody'>): string => signers[name].keyId;
    const commit = (by: Signer, text: string): string => {
      repository.write({
        'app/map.yaml': `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: own}\ndata: {by: ${text}}\n`,
      });
      return by === 'nobody' ? repository.commit(text) : signers[by].commit(repository, text);
    };
    const branch = (name: string): void => {
      repository.git('checkout', '-q', '--orphan', name);
    };

    /** Keys first: those who are taken back have signed before. */
    const writeBranches = (): Record<string, string> => {
      for (const row of ROWS) {
        branch(nameOf(row));
        commits.set(
          row,
          row.commits.map((by, index) => commit(by, `${by}-${index}`)),
        );
      }
      branch(nameOf('later'));
      commit('ann', 'first');
      const { ann, bob, expired, revoked } = signers;
      return {
        [ann.keyId]: ann.publicKey,
        [bob.keyId]: bob.publicKey,
        [expired.keyId]: expired.publicKey,
        [revoked.keyId]: revoked.revokedKey(),
      };
    };

    beforeAll(async () => {
      repository = new TestRepository(cleanup);
      signers = {
        ann: new TestSigner(cleanup, 'Ann'),
        bob: new TestSigner(cleanup, 'Bob'),
        stranger: new TestSigner(cleanup, 'Stranger'),
        expired: new TestSigner(cleanup, 'Expired', { isExpired: true }),
        revoked: new TestSigner(cleanup, 'Revoked'),
      };
      const keys = writeBranches();
      const server = await kind.open();
      cleanup.add(() => server.stop());
      ({ api } = server);
      const cluster = await connectCluster(server.kubeconfigPath);
      await installCrds(cluster, await readCrds(CRDS));
      await cluster.close();
      for (const name of [CONTROL, ...ROWS.map(nameOf), nameOf('later')])
        await api.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } }, '');
      await writeSettings(api, CONTROL, 'argocd-gpg-keys-cm', keys);
      controller = await startInProcessController({ kubeconfigPath: server.kubeconfigPath, namespace: CONTROL });
      cleanup.add(() => controller.stop());
    }, LONG);
    afterAll(() => cleanup.run(), LONG);

    const create = async (name: string, demand: Demand): Promise<Applications> => {
      await api.create(
        project(name, {
          sourceRepos: ['*'],
          destinations: [{ server: '*', namespace: '*' }],
          ...demand(idOf, repository.url),
        }),
        CONTROL,
      );
      const applications = new Applications(api, CONTROL);
      await applications.create(name, {
        project: name,
        source: { repoURL: repository.url, path: 'app', targetRevision: name },
        destination: { server: 'https://kubernetes.default.svc', namespace: name },
        syncPolicy: { automated: {}, retry: { limit: 0 } },
      });
      return applications;
    };

    it.concurrent.each(ROWS.map((row) => [row.it, row] as const))(
      '%s',
      async (_, row) => {
        const name = nameOf(row);
        const applications = await create(name, row.demand);
        const made = commits.get(row) ?? [];
        if (row.refusal === undefined) {
          await applications.until(
            name,
            {
              sync: 'Synced',
              phase: 'Succeeded',
              conditions: {},
              objects: { 'ConfigMap/own': {} },
              app: { status: { sync: { revision: made.at(-1) ?? '' } } },
            },
            name,
          );
          return;
        }
        const condition = `Failed verifying revision ${made.at(-1 - (row.named ?? 0)) ?? ''}`;
        const refused: Expectation = {
          sync: 'Unknown',
          conditions: { ComparisonError: condition },
          objects: { 'ConfigMap/own': null },
        };
        await applications.until(name, refused, name);
        await applications.until(name, { conditions: { ComparisonError: row.refusal } }, name);
        // Nobody can have it synced all the same.
        await api.patch(applications.name(name), { operation: { sync: { revision: made.at(-1) ?? '' } } });
        await applications.until(name, { ...refused, phase: 'Error', message: row.refusal }, name);
      },
      LONG,
    );

    it(
      'what was delivered stays while the commit after it is unsigned, and a signed one after that is delivered',
      async () => {
        const name = nameOf('later');
        const applications = await create(name, signatureKeys);
        await applications.until(
          name,
          { sync: 'Synced', objects: { 'ConfigMap/own': { data: { by: 'first' } } } },
          name,
        );
        repository.git('checkout', '-q', name);
        const unsigned = commit('nobody', 'second');
        await applications.refresh(name);
        await applications.until(
          name,
          {
            sync: 'Unknown',
            conditions: { ComparisonError: unsigned },
            objects: { 'ConfigMap/own': { data: { by: 'first' } } },
          },
          name,
        );
        commit('ann', 'third');
        await applications.refresh(name);
        await applications.until(
          name,
          { sync: 'Synced', conditions: {}, objects: { 'ConfigMap/own': { data: { by: 'third' } } } },
          name,
        );
        expect(controller.log.filter((line) => line.includes('at file:'))).toEqual([]);
      },
      LONG,
    );
  },
);
