import { playShell } from './play-shell.js';
import { openWorld } from './world-003.js';

await playShell('003', openWorld);
