// npm run contracts:record-argocd-cli [-- NAME...]
// Plays the cases against Argo CD's own server on a real control plane, and writes what its command line says.
import { cachedParts } from '../real/part-table.js';
import { caseNames, CommandLine, readCommands, writeRecorded, type CommandOutput } from './play.js';
import { startArgoCd } from './servers.js';

const { paths, missing } = cachedParts(['argocd', 'argocd-redis', 'helm', 'kustomize']);
if (missing.length > 0) {
  process.stderr.write(`record: missing ${missing.join(', ')}: npm run parts -- ${missing.join(' ')}\n`);
  process.exit(20);
}
const names = process.argv.slice(2);
const server = await startArgoCd({
  argocd: paths.argocd,
  redis: paths['argocd-redis'],
  helm: paths.helm,
  kustomize: paths.kustomize,
});
try {
  const line = new CommandLine(paths.argocd, server);
  for (const name of caseNames()) {
    const said: CommandOutput[] = [];
    for (const command of readCommands(name)) said.push(await line.play(command));
    if (names.length === 0 || names.includes(name)) writeRecorded(name, said);
    process.stdout.write(`${name}: ${said.length} commands\n`);
  }
} finally {
  await server.stop();
}
process.exit(0);
