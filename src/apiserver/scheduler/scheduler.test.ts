import { join } from 'node:path';
import { runCases } from '../controllers/case-runner/run-cases.js';
import { nodeLifecycleController } from '../controllers/node-lifecycle.js';
import { scheduler } from './scheduler.js';

runCases('scheduler', join(import.meta.dirname, 'cases'), [scheduler, nodeLifecycleController]);
