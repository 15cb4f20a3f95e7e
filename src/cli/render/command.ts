import { Option, type Command } from 'commander';
import type { CliHost } from '../host/index.js';
import { collectList, withValuesFlags } from '../command/index.js';
import type { RenderFlags } from './render.js';

const collect = (value: string, before: readonly string[] = []): string[] => [...before, value];

/** `argosy render`: what Helm, Kustomize or the plain files of a folder give. */
export function addRender(program: Command, host: CliHost): void {
  withValuesFlags(program.command('render <path>'))
    .description('print what `helm template`, `kustomize build` or the plain files of a folder give')
    .option('--release <name>', 'the name of the release', 'release-name')
    .option('-n, --namespace <name>', 'the namespace of the release', 'default')
    .option('--include-crds', 'print the definitions in crds/ too')
    .option('--kube-version <version>', 'the Kubernetes version that templates see', '1.34.4')
    .option(
      '-a, --api-versions <list>',
      'API versions that the cluster has besides those that Helm knows; may be repeated',
      collectList,
    )
    .option('--skip-tests', 'leave out test hooks')
    .option('--no-hooks', 'leave out all hooks')
    .option('--is-upgrade', 'render as an upgrade, not an installation')
    .option('--skip-schema-validation', 'do not check values against values.schema.json')
    .option('--recurse', 'plain files: those in folders below too')
    .option('--ext-var <name=text>', 'jsonnet: an external variable; may be repeated', collect)
    .option('--ext-code <name=code>', 'jsonnet: the same as code', collect)
    .option('--tla-str <name=text>', 'jsonnet: an argument of the top level; may be repeated', collect)
    .option('--tla-code <name=code>', 'jsonnet: the same as code', collect)
    .option('--jpath <folder>', 'jsonnet: a library folder inside the repository; may be repeated', collect)
    .option('--plugin <name>', 'run this config management plugin, one of those that --tool names')
    .option('--tool <name=path>', 'a program to use, such as jsonnet=/usr/bin/jsonnet', collect)
    .option('--origin', 'say where each object and each value that it uses is written')
    .addOption(new Option('-o, --output <format>', 'how to print').choices(['yaml', 'json', 'name']).default('yaml'))
    .addHelpText(
      'after',
      '\nExamples:\n  argosy render charts/web -f prod.yaml --set image.tag=v2\n  argosy render ' +
        'overlays/prod -o name\n  argosy render charts/web --origin',
    )
    .action(async (path: string, flags: RenderFlags) => {
      const { render } = await import('./render.js');
      host.stdout.write(await render(path, flags, host));
    });
}
