import type { KubeObject } from '../../model/index.js';
import { rbacNameOf } from '../access/find-application.js';
import { json, stream } from '../http/answer.js';
import { route, type Context, type Route } from '../route/route.js';
import { list, text, whole } from '../route/shape.js';

const TAG = 'applications';
const LISTED = { appNamespace: text(), projects: list(text()), project: list(text()), limit: whole('Applications a page.', { least: 0, most: 10_000 }), offset: whole('Applications before the page.', { least: 0 }) };

function visible({ desk, may }: Pick<Context, 'desk' | 'may'>): KubeObject[] {
  return desk.applications().filter((application) => may('applications', 'get', rbacNameOf(application, desk.namespace)));
}

export const APPLICATION_ROUTES: readonly Route[] = [
  route('GET', '/api/v1/applications', {
    says: 'Applications, as far as the caller may see them.', tag: TAG, access: { resource: 'applications', action: 'get', object: 'each' }, query: LISTED,
    handle: ({ desk, may, query: { limit = 0, offset = 0 } }) => {
      const all = visible({ desk, may });
      return json({ metadata: {}, items: limit === 0 ? all.slice(offset) : all.slice(offset, offset + limit) });
    },
  }),
  route('GET', '/api/v1/applications/{name}', {
    says: 'One application.', tag: TAG, access: { resource: 'applications', action: 'get', object: 'application' }, query: { appNamespace: text(), project: list(text()) },
    handle: ({ application }) => json(application),
  }),
  route('GET', '/api/v1/stream/applications', {
    says: 'Applications as they change.', tag: TAG, access: { resource: 'applications', action: 'get', object: 'each' }, streams: true,
    handle: ({ desk, may }) => stream(async (outlet) => {
      for (const application of visible({ desk, may })) outlet.send(JSON.stringify({ type: 'ADDED', application }));
      const stop = desk.onApplication((change) => { outlet.send(JSON.stringify({ type: change.type === 'added' ? 'ADDED' : change.type === 'updated' ? 'MODIFIED' : 'DELETED', application: change.type === 'deleted' ? change.old : change.object })); });
      await new Promise<void>((resolve) => { outlet.signal.addEventListener('abort', () => { resolve(); }); });
      stop();
    }),
  }),
];
