import { playShell } from './play-shell.js';
import { openEnvironment } from './environment-003.js';

await playShell('003', openEnvironment);
