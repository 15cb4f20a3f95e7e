import { readFile } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import { Fault } from '../../model/faults/index.js';
import { isArray, isObject, own, type Json } from '../../model/json/index.js';
import { matchesGlob, type Tree, type TreeFolder } from '../../model/formats/index.js';
import { readOneYaml } from '../../model/yaml/index.js';
import type { Tools } from '../tools.js';
import { folderAt } from '../sandbox/index.js';
import { pluginEnvironment } from './plugin-environment.js';
import type { PluginRequest } from './plugin-request.js';

interface PluginCommand {
  readonly command: readonly string[];
  readonly args: readonly string[];
}

interface PluginConfig {
  readonly init: PluginCommand | undefined;
  readonly generate: PluginCommand;
  readonly fileName: string;
  readonly glob: string;
  readonly find: PluginCommand | undefined;
}

/**
 * The manifests that a plugin prints. The tool is a program, or a ConfigManagementPlugin file that says which to run.
 */
export async function runPlugin(tools: Tools, request: PluginRequest): Promise<string> {
  const config = await readConfig(tools, request.name);
  return tools.withTree(request.tree, request.project, async (run) => {
    const environment = pluginEnvironment(request);
    const start = ({ command, args }: PluginCommand): Promise<{ readonly output: Buffer }> =>
      run({
        tool: request.name,
        program: programOf(tools, command[0] ?? ''),
        args: () => Promise.resolve([...command.slice(1), ...args]),
        path: request.path,
        environment,
      });
    if (config.init !== undefined) await start(config.init);
    return (await start(config.generate)).output.toString('utf8');
  });
}

/** The first plugin that claims a folder. */
export async function discoverPlugin(tools: Tools, request: Omit<PluginRequest, 'name'>): Promise<string | undefined> {
  for (const name of tools.names) if ((await pluginFits(tools, { ...request, name })) === true) return name;
  return undefined;
}

/** Whether a plugin claims a folder by what it says under `discover`; undefined where it says nothing. */
async function pluginFits(tools: Tools, request: PluginRequest): Promise<boolean | undefined> {
  const { fileName, glob, find } = await readConfig(tools, request.name);
  if (fileName !== '') return filesBelow(request.tree, request.path).some((file) => matchesGlob(fileName, file, '/'));
  if (glob !== '')
    return filesBelow(request.tree, request.path).some((file) =>
      matchesGlob(glob.replaceAll('**/', '{,**/}'), file, '/'),
    );
  if (find === undefined) return undefined;
  return tools.withTree(request.tree, request.project, async (run) => {
    const { output } = await run({
      tool: request.name,
      program: programOf(tools, find.command[0] ?? ''),
      args: () => Promise.resolve([...find.command.slice(1), ...find.args]),
      path: request.path,
      environment: pluginEnvironment(request),
    });
    return output.toString('utf8').trim() !== '';
  });
}

/** There is no PATH: a program is named by its path in the administrator's file, or is itself a tool. */
function programOf(tools: Tools, word: string): string {
  return isAbsolute(word) ? word : tools.pathOf(word);
}

async function readConfig(tools: Tools, name: string): Promise<PluginConfig> {
  const path = tools.pathOf(name);
  if (!/\.ya?ml$/.test(path))
    return { init: undefined, generate: { command: [path], args: [] }, fileName: '', glob: '', find: undefined };
  const config = readOneYaml(await readFile(path, 'utf8'), { dialect: 'kubernetes', file: path });
  const spec =
    isObject(config) && config.kind === 'ConfigManagementPlugin' && isObject(config.spec) ? config.spec : undefined;
  const generate = commandOf(spec?.generate);
  if (spec === undefined || generate === undefined)
    throw new Fault('VALUE_INVALID', 'a plugin file must be a ConfigManagementPlugin with spec.generate.command', {
      where: `--tool ${name}`,
    });
  const discover = isObject(spec.discover) ? spec.discover : {};
  const find = isObject(discover.find) ? discover.find : {};
  return {
    init: commandOf(spec.init),
    generate,
    fileName: textOf(discover.fileName),
    glob: textOf(find.glob),
    find: commandOf(find),
  };
}

function commandOf(value: Json | undefined): PluginCommand | undefined {
  if (!isObject(value)) return undefined;
  const words = (name: string): string[] => {
    const list = own(value, name);
    return isArray(list) ? list.filter((word) => typeof word === 'string') : [];
  };
  const command = words('command');
  return command.length === 0 ? undefined : { command, args: words('args') };
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value.replace(/^\.\//, '') : '';
}

function filesBelow(tree: Tree, path: string): string[] {
  const folder = folderAt(
    tree,
    path.split('/').filter((one) => one !== '' && one !== '.'),
  );
  return folder === undefined ? [] : namesBelow(folder);
}

function namesBelow(folder: TreeFolder): string[] {
  return [...folder.entries].flatMap(([name, node]) =>
    node.kind === 'folder' ? namesBelow(node).map((inner) => `${name}/${inner}`) : [name],
  );
}
