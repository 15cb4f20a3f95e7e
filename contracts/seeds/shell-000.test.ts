import { playShell } from './play-shell.js';
import { openEnvironment } from './environment-000.js';

await playShell('000', openEnvironment);
