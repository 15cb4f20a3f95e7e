// A server in a process of its own, for trials that kill it or run it as somebody else: `serve.ts DATA [laptop]`.
// `laptop`: its images run behind the walls that there are.
import { startApiServer } from '../server.js';
import { NO_LOG } from '../../model/logging/index.js';

const server = await startApiServer({
  data: process.argv[2] ?? '',
  port: 0,
  controllers: true,
  log: NO_LOG,
  processes: { images: [{ image: 'here:*', ...(process.argv[3] === 'laptop' ? { withMissingWalls: true } : {}) }] },
});
process.stdout.write(`${server.url}\n`);
setInterval(() => undefined, 60_000);
