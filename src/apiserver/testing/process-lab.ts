import { readFileSync } from 'node:fs';
import { request } from 'node:https';
import {
  getPointer,
  isObject,
  own,
  parseJson,
  parsePointer,
  type Json,
  type JsonObject,
} from '../../model/json/index.js';
import { readOneYaml } from '../../model/yaml/index.js';

export interface Answer {
  readonly code: number;
  readonly body: Json;
  readonly text: string;
}

/** Speaks to a server as its administrator. */
export class ProcessLab {
  constructor(readonly kubeconfig: string) {}

  /** `during` hears of the answer piece by piece. */
  ask(method: string, path: string, body?: Json, during: (piece: string) => void = () => undefined): Promise<Answer> {
    const config = readOneYaml(readFileSync(this.kubeconfig, 'utf8'), { dialect: 'kubernetes', file: 'kubeconfig' });
    const data = (pointer: string): Buffer => Buffer.from(String(getPointer(config, parsePointer(pointer))), 'base64');
    const url = new URL(path, String(getPointer(config, parsePointer('/clusters/0/cluster/server'))));
    const keys = {
      ca: data('/clusters/0/cluster/certificate-authority-data'),
      cert: data('/users/0/user/client-certificate-data'),
      key: data('/users/0/user/client-key-data'),
    };
    return new Promise((resolve, reject) => {
      const sent = request(
        url,
        {
          method,
          ...keys,
          agent: false,
          headers: { 'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json' },
        },
        (response) => {
          let text = '';
          response.setEncoding('utf8').on('data', (piece: string) => {
            text += piece;
            during(piece);
          });
          response.on('end', () =>
            resolve({ code: response.statusCode ?? 0, text, body: text.startsWith('{') ? parseJson(text) : null }),
          );
        },
      );
      sent.on('error', reject);
      sent.end(body === undefined ? undefined : JSON.stringify(body));
    });
  }

  async create(object: JsonObject): Promise<void> {
    const plural = `${String(object['kind']).toLowerCase()}s`;
    const group = object['apiVersion'] === 'v1' ? '/api/v1' : `/apis/${String(object['apiVersion'])}`;
    const { code, text } = await this.ask('POST', `${group}/namespaces/default/${plural}`, object);
    if (code !== 201) throw new Error(text);
  }

  /** A pod of one container that runs for once, with whatever else its spec has. */
  pod(name: string, container: JsonObject, spec: JsonObject = {}): Promise<void> {
    return this.create({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name },
      spec: {
        restartPolicy: 'Never',
        terminationGracePeriodSeconds: 5,
        containers: [{ name: 'app', image: 'here:v1', ...container }],
        ...spec,
      },
    });
  }

  /** The status of a pod, as soon as it is as wanted. */
  async until(name: string, wanted: (status: JsonObject) => boolean): Promise<JsonObject> {
    for (let turn = 0; turn < 600; turn++) {
      const { body } = await this.ask('GET', `/api/v1/namespaces/default/pods/${name}`);
      const status = isObject(body) && isObject(body['status']) ? body['status'] : {};
      if (wanted(status)) return status;
      await new Promise((resolve) => {
        setTimeout(resolve, 50);
      });
    }
    throw new Error(`pod ${name} did not get there`);
  }

  ended(name: string): Promise<JsonObject> {
    return this.until(name, ({ phase }) => phase === 'Succeeded' || phase === 'Failed');
  }

  async log(name: string, query = ''): Promise<string> {
    return (await this.ask('GET', `/api/v1/namespaces/default/pods/${name}/log${query}`)).text;
  }
}

/** The state of a container, by its name. */
export function stateOf(status: JsonObject, container = 'app'): JsonObject {
  const statuses = ['initContainerStatuses', 'containerStatuses'].flatMap((list) => {
    const found = own(status, list);
    return Array.isArray(found) ? found.filter(isObject) : [];
  });
  const state = statuses.find((each) => each['name'] === container)?.['state'];
  return isObject(state) ? state : {};
}
