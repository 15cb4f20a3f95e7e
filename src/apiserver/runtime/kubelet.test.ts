import { join } from 'node:path';
import { runCases } from '../testing/run-cases.js';
import { nodeLifecycleController } from '../controllers/node-lifecycle.js';
import { ContainerLogs } from './container-logs.js';
import { kubelet } from './kubelet.js';

runCases('kubelet', join(import.meta.dirname, 'cases'), [
  kubelet({ logs: new ContainerLogs(), nodes: false }),
  nodeLifecycleController,
]);
