import { PRUNE_CAUSES } from './prune-causes.js';
import { PruneLab } from './prune-trial.js';
const lab = await PruneLab.open();
try {
  for (const pattern of process.argv.slice(2)) for (const cause of PRUNE_CAUSES.filter((c) => c.name.includes(pattern))) for (const seed of [1, 2, 3]) {
    try { console.log(cause.name, seed, JSON.stringify(await lab.play(cause, seed), null, 1)); } catch (e) { console.log(cause.name, 'THREW', String(e)); }
  }
} finally { await lab.close(); }
