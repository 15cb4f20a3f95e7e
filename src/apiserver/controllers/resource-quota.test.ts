import { join } from 'node:path';
import { runCases } from '../testing/run-cases.js';
import { RESOURCE_QUOTA } from './resource-quota.js';

runCases('ResourceQuota', join(import.meta.dirname, 'cases/resource-quota'), [RESOURCE_QUOTA]);
