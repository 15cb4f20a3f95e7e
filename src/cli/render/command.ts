import { Option, type Command } from 'commander';
import type { CliHost } from '../host/index.js';
import { collect, collectList, withValuesFlags } from '../command/index.js';
import type { RenderFlags } from './render.js';

/** `argosy render`: what Helm, Kustomize or the plain files of a folder give. */
export function addRender(program: Command, host: CliHost): void {
  withValuesFlags(program.command('render <path>'))
    .description(
      'render a chart, a kustomization or a folder of manifests, as `helm template` and `kustomize build` do',
    )
    .option('--release <name>', 'the name of the release', 'release-name')
    .option('-n, --namespace <name>', 'the namespace of the release', 'default')
    .option('--include-crds', 'include the CRDs in crds/')
    .option('--kube-version <version>', 'Kubernetes version passed to templates', '1.34.4')
    .option(
      '-a, --api-versions <list>',
      "API versions of the cluster in addition to Helm's defaults; may be repeated",
      collectList,
    )
    .option('--skip-tests', 'skip test hooks')
    .option('--no-hooks', 'skip all hooks')
    .option('--is-upgrade', 'set .Release.IsUpgrade instead of .Release.IsInstall')
    .option('--skip-schema-validation', 'do not validate values against values.schema.json')
    .option('--recurse', 'plain manifests: recurse into subfolders')
    .option('--ext-var <name=text>', 'jsonnet: external variable; may be repeated', collect)
    .option('--ext-code <name=code>', 'jsonnet: the same, as code', collect)
    .option('--tla-str <name=text>', 'jsonnet: top-level argument; may be repeated', collect)
    .option('--tla-code <name=code>', 'jsonnet: the same, as code', collect)
    .option('--jpath <folder>', 'jsonnet: library folder in the repository; may be repeated', collect)
    .option('--plugin <name>', 'run this config management plugin, named with --tool')
    .option('--tool <name=path>', 'a program for rendering, such as jsonnet=/usr/bin/jsonnet', collect)
    .option('--origin', 'print the file and line of each object and of the values it uses')
    .addOption(new Option('-o, --output <format>', 'output format').choices(['yaml', 'json', 'name']).default('yaml'))
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
