import { playShell } from './play-shell.js';
import { openWorld } from './world-001.js';

await playShell('001', openWorld);
