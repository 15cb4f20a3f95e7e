import { playShell } from './play-shell.js';
import { openWorld } from './world-000.js';

await playShell('000', openWorld);
