// What we use of undici: its own index also loads fetch, WebSocket, caches and mocks, half a megabyte for each start to
// read.
import Agent from '../node_modules/undici/lib/dispatcher/agent.js';
import Dispatcher from '../node_modules/undici/lib/dispatcher/dispatcher.js';
import ProxyAgent from '../node_modules/undici/lib/dispatcher/proxy-agent.js';
import request from '../node_modules/undici/lib/api/api-request.js';

Dispatcher.prototype.request = request;

export { Agent, ProxyAgent };
