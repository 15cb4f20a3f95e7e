import { setTimeout as delay } from 'node:timers/promises';
import { pollDelays } from '../harness/poll-delays.js';
import type { Json, JsonObject } from '../../src/model/json/index.js';
import type { Api, ObjectName } from './api.js';
import type { Expectation } from './case.js';
import { valueIn, compareWithExpectation } from './compare-with-expectation.js';

const WITHIN = 30_000;

/** What people do to Applications of one control-plane namespace, for suites with several of them. */
export class Applications {
  constructor(
    readonly api: Api,
    readonly namespace: string,
  ) {}

  name(name: string): ObjectName {
    return { kind: 'Application', group: 'argoproj.io', namespace: this.namespace, name };
  }

  get(name: string): Promise<JsonObject | undefined> {
    return this.api.get(this.name(name));
  }

  create(name: string, spec: JsonObject): Promise<JsonObject> {
    const filled = { project: 'default', ...spec };
    return this.api.create(
      { apiVersion: 'argoproj.io/v1alpha1', kind: 'Application', metadata: { name }, spec: filled },
      this.namespace,
    );
  }

  /** Ends when the annotation is gone: the comparison is made with the newest commits. */
  async refresh(name: string): Promise<void> {
    await this.api.patch(this.name(name), { metadata: { annotations: { 'argocd.argoproj.io/refresh': 'normal' } } });
    await this.#wait(
      name,
      'the refresh is done',
      (app) => valueIn(app, 'metadata', 'annotations', 'argocd.argoproj.io/refresh') === undefined,
    );
  }

  /** Asks for a sync with the options of the application, as its command line does, and waits for its end. */
  async sync(name: string): Promise<void> {
    const app = await this.get(name);
    const options = valueIn(app, 'spec', 'syncPolicy', 'syncOptions');
    const before = valueIn(app, 'status', 'operationState', 'startedAt');
    // Times have whole seconds: an operation that starts in the second of the one before could not be told apart.
    if (typeof before === 'string') await delay(Math.max(0, Date.parse(before) + 1_000 - Date.now()));
    await this.api.patch(this.name(name), {
      operation: {
        initiatedBy: { username: 'case' },
        sync: { prune: true, ...(options === undefined ? {} : { syncOptions: options }) },
      },
    });
    await this.#wait(name, 'the operation ends', (now) => {
      const state = valueIn(now, 'status', 'operationState');
      return (
        now.operation === undefined &&
        valueIn(state, 'finishedAt') !== undefined &&
        valueIn(state, 'startedAt') !== before &&
        valueIn(state, 'phase') !== 'Running'
      );
    });
  }

  /**
   * Waits for what is expected of one application and of objects, which are in `namespace` where they do not say
   * another.
   */
  async until(name: string, expected: Expectation, namespace: string, within = WITHIN): Promise<void> {
    for (const end = Date.now() + within, next = pollDelays(); ; await next()) {
      const wrong = await compareWithExpectation({ api: this.api, app: this.name(name), namespace }, expected);
      if (wrong.length === 0) return;
      if (Date.now() > end) throw new Error(`${name}: ${wrong.join('\n  ')}`);
    }
  }

  async #wait(name: string, what: string, isSo: (app: JsonObject) => boolean): Promise<void> {
    for (const end = Date.now() + WITHIN, next = pollDelays(); ; await next()) {
      const app: JsonObject = (await this.get(name)) ?? {};
      if (isSo(app)) return;
      const state: Json | undefined = valueIn(app, 'status', 'operationState');
      if (Date.now() > end)
        throw new Error(
          `${name}: not within ${WITHIN / 1000} s: ${what}: ${JSON.stringify(state)} ` +
            JSON.stringify(valueIn(app, 'status', 'conditions')),
        );
    }
  }
}
