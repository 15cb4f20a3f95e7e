import { playShell } from './play-shell.js';
import { openEnvironment } from './environment-001.js';

await playShell('001', openEnvironment);
