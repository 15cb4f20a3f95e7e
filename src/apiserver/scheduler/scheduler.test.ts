import { join } from 'node:path';
import { runCases } from '../testing/run-cases.js';
import { nodeLifecycleController } from '../controllers/node-lifecycle.js';
import { scheduler } from './scheduler.js';

runCases('scheduler', join(import.meta.dirname, 'cases'), [scheduler, nodeLifecycleController]);
