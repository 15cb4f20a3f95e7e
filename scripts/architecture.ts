/** Draws docs/pictures/architecture.svg from the imports of src/; checks/architecture.test.ts keeps it current. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { drawArchitecture } from './architecture/draw.js';

writeFileSync(join(import.meta.dirname, '../docs/pictures/architecture.svg'), drawArchitecture());
