import { playShell } from './play-shell.js';
import { openEnvironment } from './environment-004.js';

await playShell('004', openEnvironment);
