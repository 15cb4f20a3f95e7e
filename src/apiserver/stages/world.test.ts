import { join } from 'node:path';
import { runWorldCases } from '../testing/run-world-cases.js';

runWorldCases(join(import.meta.dirname, '../../../world'));
