import { join } from 'node:path';
import { runWorldCases } from './case-runner/run-world-cases.js';

runWorldCases(join(import.meta.dirname, '../../../world'));
