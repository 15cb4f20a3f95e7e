import { generateKeyPairSync } from 'node:crypto';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { plainLogger, type Logger } from '../../model/logging/index.js';
import { AccessControl, RbacIndex, ServiceAccountTokens } from '../access/index.js';
import { admissionPlugins } from '../admission/index.js';
import { startCrdController } from '../controllers/index.js';
import { inProcessClient, type Controller, hasQueuedWork } from '../controller-runtime/index.js';
import type { LocalClient, RestContext } from '../rest/index.js';
import { builtinResourceTypes } from '../kinds/index.js';
import { TypeCatalog } from '../resources/index.js';
import { openMemoryStore } from '../store/index.js';
import { ManualClock } from './manual-clock.js';

/** A server without socket and disk, with the controllers under test and a clock that the test moves. */
export interface MemoryCluster {
  readonly context: RestContext;
  readonly clock: ManualClock;
  /** The test's own hand in the world. */
  readonly client: LocalClient;
  /** Lines that controllers logged: failures nobody expected. */
  readonly logged: readonly string[];
  readonly log: Logger;
  /** Lets everything that is under way finish; time does not pass. */
  waitUntilQuiet(): Promise<void>;
  close(): Promise<void>;
}

const SUFFIX_LETTERS = 'bcdfghjklmnpqrstvwxz2456789';
/** Turns of the event loop without a write after which the world counts as settled. */
const QUIET_TURNS = 12;
/** Far above what any case needs: two controllers that undo each other's work for ever are a failure, not a hang. */
const MAX_TURNS = 20_000;

const TYPES = builtinResourceTypes();
const KEY = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
  .privateKey.export({ type: 'pkcs8', format: 'pem' })
  .toString();

export async function openMemoryCluster(
  controllers: readonly Controller[],
  start = '2026-01-05T10:00:00Z',
): Promise<MemoryCluster> {
  const clock = new ManualClock(start);
  const context = newContext(clock);
  const rbac = new RbacIndex(context.store);
  const tokens = new ServiceAccountTokens(
    KEY,
    () => clock.now(),
    (plural, namespace, name) => client.get({ group: '', plural }, namespace, name),
  );
  const client = inProcessClient(context, 'test');
  context.admission.push(...admissionPlugins(context, new AccessControl(rbac, tokens)));
  const logged: string[] = [];
  for (const name of ['default', 'kube-system'])
    await addNamespace(client, { kind: 'Namespace', apiVersion: 'v1', metadata: { name } });
  const log = plainLogger((line) => void logged.push(line));
  const running = controllers.map((controller) =>
    controller.start({ client: inProcessClient(context, controller.name), clock, log }),
  );
  const crds = startCrdController(context);
  return {
    context,
    clock,
    client,
    logged,
    log,
    waitUntilQuiet: () => waitUntilQuiet(context),
    async close() {
      for (const part of [...running, crds, rbac]) part.close();
      await context.store.close();
    },
  };
}

/** A namespace with its default account, which pods cannot be created without. */
export async function addNamespace(client: LocalClient, namespace: KubeObject): Promise<void> {
  await client.create({ group: '', plural: 'namespaces' }, namespace);
  const { name = '' } = namespace.metadata;
  const accounts = { group: '', plural: 'serviceaccounts' };
  if (!client.get(accounts, name, 'default')) {
    // Without a token: its volume would take a random name of the series that pods are named from.
    await client.create(accounts, {
      kind: 'ServiceAccount',
      apiVersion: 'v1',
      metadata: { name: 'default', namespace: name },
      automountServiceAccountToken: false,
    });
  }
}

function newContext(clock: ManualClock): RestContext {
  let uids = 0;
  let suffixes = 0;
  return {
    store: openMemoryStore(),
    types: new TypeCatalog(TYPES),
    clock,
    admission: [],
    newUid: () => `00000000-0000-4000-8000-${String(++uids).padStart(12, '0')}`,
    newSuffix: () => letters(suffixes++),
    report: (line) => {
      throw new Error(line);
    },
  };
}

/** Suffixes in order, so that names in cases are the same in each run. */
function letters(index: number): string {
  let rest = index;
  let text = '';
  for (let place = 0; place < 5; place++) {
    text = SUFFIX_LETTERS.charAt(rest % SUFFIX_LETTERS.length) + text;
    rest = Math.floor(rest / SUFFIX_LETTERS.length);
  }
  return text;
}

async function waitUntilQuiet({ store }: RestContext): Promise<void> {
  let quiet = 0;
  let revision = store.revision;
  for (let turn = 0; quiet < QUIET_TURNS; turn++) {
    if (turn > MAX_TURNS) throw new Error(`the world does not settle: it is at revision ${revision} and still writing`);
    await new Promise<void>((resolve) => setImmediate(resolve));
    quiet = store.revision === revision && !hasQueuedWork() ? quiet + 1 : 0;
    revision = store.revision;
  }
}
