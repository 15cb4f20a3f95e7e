import { gzipSync } from 'node:zlib';
import type { Handler } from './git-server.js';

const INDEX = 'apiVersion: v1\nentries:\n  app:\n  - version: 1.0.0\n    urls: [app-1.0.0.tgz]\n';

const withoutEnd: Handler = (_, response) => {
  const chunk = Buffer.alloc(65536, 'a');
  const more = (): void => {
    while (!response.destroyed && response.write(chunk));
  };
  response.on('drain', more).on('error', () => undefined);
  more();
};

/**
 * Chart repositories that send more than anybody can take. `prepare` makes what they send, so that it need not be made
 * while they are asked.
 */
export const HOSTILE_INDEXES: readonly { readonly name: string; readonly prepare: () => Handler }[] = [
  { name: 'an index without end', prepare: () => withoutEnd },
  {
    name: 'an index of two gigabytes',
    prepare: () => (_, response) => {
      response.writeHead(200, { 'content-length': String(2 ** 31) }).write('entries:');
    },
  },
  {
    name: 'an index that unpacks to hundreds of megabytes',
    prepare: () => {
      const packed = Buffer.concat(Array.from({ length: 20 }, () => gzipSync(Buffer.alloc(10 * 1024 * 1024))));
      return (_, response) => {
        response.writeHead(200, { 'content-encoding': 'gzip' }).end(packed);
      };
    },
  },
  {
    name: 'an archive without end',
    prepare: () => (request, response) => {
      if (request.url?.endsWith('.yaml') === true) response.end(INDEX);
      else withoutEnd(request, response);
    },
  },
];
