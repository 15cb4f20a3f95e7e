// A server in a process of its own, for trials that kill it: `serve.ts DATA`.
import { startApiServer } from '../server.js';
import { NO_LOG } from '../../model/logging/index.js';

const server = await startApiServer({
  data: process.argv[2] ?? '',
  port: 0,
  controllers: true,
  log: NO_LOG,
  processes: { images: [{ image: 'here:*' }] },
});
process.stdout.write(`${server.url}\n`);
setInterval(() => undefined, 60_000);
