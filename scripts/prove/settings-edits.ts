import { chosenServers } from '../../contracts/apiserver/servers.js';
import { EDITS, openEdits, playEdit } from '../../contracts/settings/edit-trial.js';
import { SettingsLab } from '../../contracts/settings/settings-lab.js';
import { runTrials, type Proof } from './trials/proof.js';

/**
 * Whatever people write into the ConfigMaps of an ArgoCD is taken back within a second, with an Event that says where
 * to write it; on the embedded and on the real API server.
 */
export const proof: Proof = {
  name: 'settings-edits',
  sizes: { smoke: EDITS.length, full: 50 },
  async run(context) {
    const labs: { name: string; lab: SettingsLab; stop: () => Promise<void> }[] = [];
    try {
      for (const { name, missing, open } of chosenServers()) {
        const absent = await missing();
        if (absent !== undefined) {
          context.log(absent);
          continue;
        }
        const server = await open();
        const lab = await SettingsLab.open(server.kubeconfig);
        labs.push({
          name,
          lab,
          stop: async () => {
            await lab.close();
            await server.stop();
          },
        });
        await openEdits(lab, 'edits');
      }
      return await runTrials(context, async (index) => {
        const edit = EDITS[(index + context.seed) % EDITS.length];
        if (edit === undefined) throw new Error('there are no edits');
        const counts: Record<string, number> = {};
        const samples: Record<string, number> = {};
        const wrong: string[] = [];
        for (const { name, lab } of labs) {
          const played = await playEdit(lab, 'edits', edit);
          wrong.push(...played.wrong.map((line) => `${name}: ${line}`));
          counts[`taken back, ${name}`] = played.wrong.length === 0 ? 1 : 0;
          samples[`milliseconds, ${name}`] = played.stood;
        }
        return { wrong, counts, samples };
      });
    } finally {
      for (const { stop } of labs) await stop();
    }
  },
};
