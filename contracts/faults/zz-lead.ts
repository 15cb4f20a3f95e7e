import { HookKillLab } from './hook-kill.js';
import { HOOK_SCENARIOS } from './hook-scenario.js';
const lab = await HookKillLab.open();
const scenario = HOOK_SCENARIOS.find(({ name }) => name === 'after-a-part');
for (const write of [36, 35, 34, 33, 37, 30, 28]) {
  try { const o = await lab.play({ scenario, kills: [{ write, moment: 'before it is sent' }] } as never); console.log(write, 'ok', o.wrong, o.boundaries, Math.round(o.ms)); } catch (e) { console.log(write, 'FAIL', String(e).slice(0, 900)); break; }
}
await lab.close();
process.exit(0);
