import { Agent, request } from 'undici';
import type { ControlPlane } from '../../real/control-plane.js';

/** Requests of a test to kube-apiserver, in JSON. */
export interface Api {
  get(path: string): Promise<unknown>;
  text(path: string): Promise<string | undefined>;
  apply(path: string, object: object): Promise<void>;
  patch(path: string, patch: object): Promise<void>;
  remove(path: string): Promise<void>;
  close(): Promise<void>;
}

type Method = 'GET' | 'PATCH' | 'DELETE';

export function openApi({ url, caPem, adminToken }: ControlPlane): Api {
  const agent = new Agent({ connect: { ca: caPem } });
  const send = async (method: Method, path: string, type?: string, body?: object): Promise<[number, string]> => {
    const response = await request(`${url}${path}`, {
      dispatcher: agent,
      method,
      headers: {
        authorization: `Bearer ${adminToken}`,
        ...(type === undefined ? {} : { 'content-type': type }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return [response.statusCode, await response.body.text()];
  };
  const must = async (method: Method, path: string, type?: string, body?: object): Promise<string> => {
    const [code, text] = await send(method, path, type, body);
    if (code >= 300) throw new Error(`${method} ${path}: ${code} ${text.slice(0, 600)}`);
    return text;
  };
  return {
    get: async (path) => JSON.parse(await must('GET', path)) as unknown,
    async text(path) {
      const [code, text] = await send('GET', path);
      return code === 200 ? text : undefined;
    },
    async apply(path, object) {
      await must('PATCH', `${path}?fieldManager=lab&force=true`, 'application/apply-patch+yaml', object);
    },
    async patch(path, patch) {
      await must('PATCH', path, 'application/strategic-merge-patch+json', patch);
    },
    async remove(path) {
      const [code, text] = await send('DELETE', path, 'application/json', {
        gracePeriodSeconds: 0,
        propagationPolicy: 'Background',
      });
      if (code >= 300 && code !== 404) throw new Error(`DELETE ${path}: ${code} ${text.slice(0, 600)}`);
    },
    close: () => agent.close(),
  };
}
