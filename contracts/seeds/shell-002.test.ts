import { playShell } from './play-shell.js';
import { openEnvironment } from './environment-002.js';

await playShell('002', openEnvironment);
