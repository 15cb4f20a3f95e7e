import { playShell } from './play-shell.js';
import { openWorld } from './world-002.js';

await playShell('002', openWorld);
