import type { Command } from 'commander';
import { Fault } from '../../model/faults/index.js';
import { type CliHost, openCluster, type ClusterFlags } from '../host/index.js';
import { formatTable } from '../output/index.js';

/** `argosy demo ...`: problems that people met, to break and to heal on the embedded cluster. */
export function addDemo(program: Command, host: CliHost): void {
  const demo = program.command('demo').description('reproduce real incidents on the embedded cluster');
  demo
    .command('list')
    .description('list the incidents')
    .addHelpText('after', '\nExample:\n  argosy demo list')
    .action(async () => {
      const { stories } = await host.openStories();
      host.stdout.write(
        formatTable(
          ['NAME', 'SEED', 'STORY'],
          stories.map(({ name, seed, title }) => [name, seed === '' ? '<none>' : seed, title]),
        ),
      );
    });
  addPlay(demo, host, 'break', 'set up an incident, break it, and print the symptoms');
  addPlay(demo, host, 'heal', 'resolve an incident');
}

function addPlay(demo: Command, host: CliHost, act: 'break' | 'heal', description: string): void {
  demo
    .command(`${act} <story>`)
    .description(description)
    .option('--kubeconfig <file>', 'path to the kubeconfig')
    .option('--context <name>', 'kubeconfig context')
    .addHelpText('after', `\nExample:\n  argosy demo ${act} vault-sealed-after-a-restart`)
    .action(async (name: string, flags: ClusterFlags) => play(host, act, name, flags));
}

async function play(host: CliHost, act: 'break' | 'heal', name: string, flags: ClusterFlags): Promise<void> {
  const stories = await host.openStories();
  const story = stories.stories.find((each) => each.name === name);
  if (story === undefined) throw new Fault('USAGE', `unknown story "${name}"; argosy demo list shows them`);
  const cluster = await openCluster(flags, host, false);
  const print = (line: string): void => void host.stdout.write(`${line}\n`);
  try {
    host.stderr.write(`context ${cluster.context} (${cluster.server})\n`);
    await stories.play(name, act, cluster, print);
    print(
      act === 'break'
        ? `\n${story.title}\n  cause: ${story.because}\n  repair: ${story.repair}\n  or: argosy demo heal ${name}`
        : '\nhealed',
    );
  } finally {
    await cluster.close();
  }
}
