import { playShell } from './play-shell.js';
import { openWorld } from './world-004.js';

await playShell('004', openWorld);
