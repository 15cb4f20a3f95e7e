import { Option, type Command } from 'commander';
import type { AppFlags } from '../session/index.js';
import { toggle, collectList, openGroup, outputOption, type SessionGroup } from '../command/index.js';
import type { CliHost } from '../host/index.js';
import type { ProjectFlags } from './projects.js';
import type { WindowFlags } from './windows.js';

type OutputFlags = AppFlags & { readonly output: string };

/** `argosy proj ...`: projects, as `argocd proj` shows and changes them. */
export function addProj(program: Command, host: CliHost): void {
  const group = openGroup(program, host, 'proj', 'show and change projects');
  for (const add of [addShow, addCreate, addSources, addDestinations, addKinds, addRoles, addWindows]) add(group);
}

function addShow(group: SessionGroup): void {
  group
    .verb('list', 'list projects', ['list', 'list -o name'])
    .addOption(outputOption(['wide', 'name', 'json', 'yaml']))
    .action((flags: OutputFlags) =>
      group.run(flags, 'read', async (session) => (await import('./projects.js')).listProjects(session, flags.output)),
    );
  group
    .verb('get <project>', 'show a project', ['get default', 'get shop -o yaml'])
    .addOption(outputOption(['wide', 'json', 'yaml']))
    .action((name: string, flags: OutputFlags) =>
      group.run(flags, 'read', async (session) =>
        (await import('./projects.js')).getProject(session, name, flags.output),
      ),
    );
  group
    .verb('delete <projects...>', 'delete projects', ['delete shop'])
    .action((names: string[], flags: AppFlags) =>
      group.run(flags, 'write', async (session) => (await import('./projects.js')).deleteProjects(session, names)),
    );
}

function withSpecFlags(made: Command): Command {
  made
    .option('--description <text>', 'description')
    .option('-d, --dest <server,namespace>', 'allowed destinations; may be repeated', collectOne)
    .option('-s, --src <url>', 'allowed source repositories; may be repeated', collectList)
    .option('--source-namespaces <namespaces>', 'namespaces that its Applications may be in', collectList)
    .option('--signature-keys <keys>', 'IDs of GPG keys that commits must be signed with', collectList)
    .option(
      '--dest-service-accounts <server,namespace,account>',
      'destination service accounts; may be repeated',
      collectOne,
    )
    .option('--allow-cluster-resource <group/kind>', 'allowed cluster-scoped kinds; may be repeated', collectList)
    .option('--deny-cluster-resource <group/kind>', 'denied namespaced kinds', collectList)
    .option('--allow-namespaced-resource <group/kind>', 'allowed namespaced kinds', collectList)
    .option('--deny-namespaced-resource <group/kind>', 'denied namespaced kinds', collectList);
  toggle(made, '--orphaned-resources', 'monitor orphaned resources');
  return toggle(made, '--orphaned-resources-warn', 'warn about orphaned resources');
}

const collectOne = (value: string, before: readonly string[] = []): string[] => [...before, value];

function addCreate(group: SessionGroup): void {
  const made = withSpecFlags(
    group.verb('create [project]', 'create a project', [
      'create shop --dest https://kubernetes.default.svc,shop --src https://git.example.com/shop.git',
      'create -f project.yaml --upsert',
    ]),
  ).option('-f, --file <file>', 'file with an AppProject, - for standard input');
  toggle(made, '--upsert', 'update the project if it exists').action(
    (name: string | undefined, flags: AppFlags & ProjectFlags) =>
      group.run(flags, 'write', async (session) => (await import('./projects.js')).createProject(session, name, flags)),
  );
  withSpecFlags(group.verb('set <project>', 'change a project', ['set shop --description "The shop"'])).action(
    (name: string, flags: AppFlags & ProjectFlags) =>
      group.run(flags, 'write', async (session) => (await import('./projects.js')).setProject(session, name, flags)),
  );
}

function addSources(group: SessionGroup): void {
  for (const [noun, list, about, said] of [
    ['source', 'sourceRepos', 'a repository', 'Source repository'],
    ['source-namespace', 'sourceNamespaces', 'Applications in a namespace', 'Source namespace'],
  ] as const) {
    const example = noun === 'source' ? 'https://git.example.com/shop.git' : 'team-a';
    group
      .verb(`add-${noun} <project> <value>`, `allow ${about}`, [`add-${noun} shop ${example}`])
      .action((project: string, value: string, flags: AppFlags) =>
        group.run(flags, 'write', async (session) =>
          (await import('./edit-lists.js')).addItem(session, project, list, value, {
            line: `${said} '${value}' already allowed in project`,
          }),
        ),
      );
    group
      .verb(`remove-${noun} <project> <value>`, `no longer allow ${about}`, [`remove-${noun} shop ${example}`])
      .action((project: string, value: string, flags: AppFlags) =>
        group.run(flags, 'write', async (session) =>
          (await import('./edit-lists.js')).removeItem(session, project, list, (item) => item === value, {
            line: `${said} '${value}' does not exist in project`,
          }),
        ),
      );
  }
  group
    .verb('add-signature-key <project> <key>', 'require commits signed with a GPG key', [
      'add-signature-key shop 4AEE18F83AFDEB23',
    ])
    .action((project: string, keyID: string, flags: AppFlags) =>
      group.run(flags, 'write', async (session) =>
        (await import('./edit-lists.js')).addItem(
          session,
          project,
          'signatureKeys',
          { keyID },
          { error: 'Specified signature key is already defined in project' },
        ),
      ),
    );
  group
    .verb('remove-signature-key <project> <key>', 'remove a required GPG key', [
      'remove-signature-key shop 4AEE18F83AFDEB23',
    ])
    .action((project: string, keyID: string, flags: AppFlags) =>
      group.run(flags, 'write', async (session) => {
        const { removeItem, hasTexts } = await import('./edit-lists.js');
        return removeItem(session, project, 'signatureKeys', hasTexts({ keyID }), {
          error: 'Specified signature key is not configured for project',
        });
      }),
    );
}

function addDestinations(group: SessionGroup): void {
  const where = (server: string, namespace: string, isName: boolean): { readonly [key: string]: string } => ({
    [isName ? 'name' : 'server']: server,
    namespace,
  });
  type NameFlags = AppFlags & { readonly name?: boolean };
  toggle(
    group.verb('add-destination <project> <server> <namespace>', 'allow a cluster and namespace', [
      'add-destination shop https://kubernetes.default.svc shop',
      'add-destination shop in-cluster shop --name',
    ]),
    '--name',
    'the destination is given by cluster name',
  ).action((project: string, server: string, namespace: string, flags: NameFlags) =>
    group.run(flags, 'write', async (session) =>
      (await import('./edit-lists.js')).addItem(
        session,
        project,
        'destinations',
        where(server, namespace, flags.name === true),
        { error: 'Specified destination is already defined in project' },
      ),
    ),
  );
  group
    .verb('remove-destination <project> <server> <namespace>', 'remove a cluster and namespace', [
      'remove-destination shop https://kubernetes.default.svc shop',
    ])
    .action((project: string, server: string, namespace: string, flags: AppFlags) =>
      group.run(flags, 'write', async (session) => {
        const { removeItem, hasTexts } = await import('./edit-lists.js');
        return removeItem(
          session,
          project,
          'destinations',
          (item) => hasTexts({ server, namespace })(item) || hasTexts({ name: server, namespace })(item),
          { error: 'Specified destination does not exist in project' },
        );
      }),
    );
  type AccountFlags = AppFlags & { readonly serviceAccountNamespace?: string };
  group
    .verb(
      'add-destination-service-account <project> <server> <namespace> <account>',
      'set the service account that syncs to a destination use',
      ['add-destination-service-account shop https://kubernetes.default.svc shop deployer'],
    )
    .option('--service-account-namespace <namespace>', 'namespace of the service account')
    .action((project: string, server: string, namespace: string, account: string, flags: AccountFlags) =>
      group.run(flags, 'write', async (session) => {
        const defaultServiceAccount =
          flags.serviceAccountNamespace === undefined ? account : `${flags.serviceAccountNamespace}:${account}`;
        return (await import('./edit-lists.js')).addItem(
          session,
          project,
          'destinationServiceAccounts',
          { server, namespace, defaultServiceAccount },
          { error: 'Specified destination service account is already defined in project' },
        );
      }),
    );
  group
    .verb(
      'remove-destination-service-account <project> <server> <namespace> <account>',
      'remove the service account of a destination',
      ['remove-destination-service-account shop https://kubernetes.default.svc shop deployer'],
    )
    .action((project: string, server: string, namespace: string, account: string, flags: AppFlags) =>
      group.run(flags, 'write', async (session) => {
        const { removeItem, hasTexts } = await import('./edit-lists.js');
        return removeItem(
          session,
          project,
          'destinationServiceAccounts',
          hasTexts({ server, namespace, defaultServiceAccount: account }),
          { error: 'Specified destination service account does not exist in project' },
        );
      }),
    );
}

function addKinds(group: SessionGroup): void {
  type ListFlags = AppFlags & { readonly list: 'allow' | 'deny' };
  for (const rule of ['allow', 'deny'] as const) {
    for (const scope of ['cluster', 'namespace'] as const) {
      group
        .verb(
          `${rule}-${scope}-resource <project> <group> <kind>`,
          `${rule} a ${scope === 'cluster' ? 'cluster-scoped' : 'namespaced'} kind`,
          [`${rule}-${scope}-resource shop ${scope === 'cluster' ? "'' Namespace" : 'apps DaemonSet'}`],
        )
        .addOption(
          new Option('-l, --list <list>', 'list to change')
            .choices(['allow', 'deny'])
            .default(scope === 'cluster' ? 'allow' : 'deny'),
        )
        .action((project: string, ofGroup: string, kind: string, flags: ListFlags) =>
          group.run(flags, 'write', async (session) =>
            (await import('./edit-lists.js')).permitKind(
              session,
              { project, group: ofGroup, kind },
              scope,
              flags.list,
              rule,
            ),
          ),
        );
    }
  }
  for (const act of ['add', 'remove'] as const) {
    group
      .verb(
        `${act}-orphaned-ignore <project> <group> <kind>`,
        act === 'add' ? 'ignore a kind of orphaned resources' : 'no longer ignore a kind of orphaned resources',
        [`${act}-orphaned-ignore shop apps Deployment --name legacy-*`],
      )
      .option('--name <pattern>', 'print only the object with this name')
      .action((project: string, ofGroup: string, kind: string, flags: AppFlags & { readonly name?: string }) =>
        group.run(flags, 'write', async (session) =>
          (await import('./edit-lists.js')).ignoreOrphan(
            session,
            project,
            { group: ofGroup, kind, ...(flags.name === undefined ? {} : { name: flags.name }) },
            act,
          ),
        ),
      );
  }
}

function addRoles(parent: SessionGroup): void {
  const group = parent.inner('role', 'manage the roles of a project');
  group
    .verb('list <project>', 'list roles', ['list shop'])
    .addOption(outputOption(['wide', 'name']))
    .action((project: string, flags: OutputFlags) =>
      group.run(flags, 'read', async (session) =>
        (await import('./roles.js')).listRoles(session, project, flags.output),
      ),
    );
  group
    .verb('get <project> <role>', 'show a role', ['get shop deployer'])
    .action((project: string, role: string, flags: AppFlags) =>
      group.run(flags, 'read', async (session) => (await import('./roles.js')).showRole(session, project, role)),
    );
  group
    .verb('create <project> <role>', 'create a role', ['create shop deployer --description "May sync"'])
    .option('--description <text>', 'description', '')
    .action((project: string, role: string, flags: AppFlags & { readonly description: string }) =>
      group.run(flags, 'write', async (session) =>
        (await import('./roles.js')).createRole(session, project, role, flags.description),
      ),
    );
  group
    .verb('delete <project> <role>', 'delete a role', ['delete shop deployer'])
    .action((project: string, role: string, flags: AppFlags) =>
      group.run(flags, 'write', async (session) => (await import('./roles.js')).deleteRole(session, project, role)),
    );
  for (const act of ['add', 'remove'] as const) {
    group
      .verb(`${act}-group <project> <role> <group>`, `${act} an SSO group of a role`, [
        `${act}-group shop deployer shop-team`,
      ])
      .action((project: string, role: string, item: string, flags: AppFlags) =>
        group.run(flags, 'write', async (session) =>
          (await import('./roles.js')).changeRole(session, { project, role, list: 'groups', item, act }),
        ),
      );
    group
      .verb(`${act}-policy <project> <role>`, `${act} a policy`, [
        `${act}-policy shop deployer --action sync --permission allow --object '*'`,
      ])
      .requiredOption('-a, --action <action>', 'action of the policy, such as get or sync')
      .requiredOption('-o, --object <object>', 'application, * for all')
      .addOption(
        new Option('-p, --permission <permission>', 'allow or deny').choices(['allow', 'deny']).default('allow'),
      )
      .option('-r, --resource <resource>', 'object of the policy', 'applications')
      .action(
        (
          project: string,
          role: string,
          flags: AppFlags & {
            readonly action: string;
            readonly object: string;
            readonly permission: string;
            readonly resource: string;
          },
        ) =>
          group.run(flags, 'write', async (session) => {
            const { changeRole, policyText } = await import('./roles.js');
            return changeRole(session, {
              project,
              role,
              list: 'policies',
              item: policyText(project, role, flags),
              act,
            });
          }),
      );
  }
}

function withWindowFlags(made: Command): Command {
  made
    .option('--schedule <cron>', 'start of the window as a cron schedule')
    .option('--duration <duration>', 'duration of the window, such as 1h')
    .option('--applications <names>', 'applications that the window applies to, * for all', collectList)
    .option('--namespaces <names>', 'namespaces that the window applies to', collectList)
    .option('--clusters <clusters>', 'clusters that the window applies to', collectList)
    .option('--time-zone <zone>', 'time zone of the schedule')
    .option('--description <text>', 'description');
  return made;
}

function addWindows(parent: SessionGroup): void {
  const group = parent.inner('windows', 'manage the sync windows of a project');
  group
    .verb('list <project>', 'list windows', ['list shop'])
    .addOption(outputOption(['wide', 'json', 'yaml']))
    .action((project: string, flags: OutputFlags) =>
      group.run(flags, 'read', async (session) =>
        (await import('./windows.js')).listWindows(session, project, flags.output),
      ),
    );
  const add = withWindowFlags(
    group.verb('add <project>', 'add a window', [
      "add shop --kind allow --schedule '0 22 * * *' --duration 1h --applications '*'",
    ]),
  ).addOption(new Option('-k, --kind <kind>', 'allow or deny').choices(['allow', 'deny']));
  for (const [flag, about] of [
    ['--manual-sync', 'allow manual syncs while the window denies automated ones'],
    ['--sync-overrun', 'let a running sync continue after the window closes'],
    ['--use-and-operator', 'applications, namespaces and clusters must all match'],
  ] as const)
    toggle(add, flag, about);
  add.action((project: string, flags: AppFlags & WindowFlags) =>
    group.run(flags, 'write', async (session) => (await import('./windows.js')).addWindow(session, project, flags)),
  );
  withWindowFlags(group.verb('update <project> <id>', 'change a window', ['update shop 0 --duration 2h'])).action(
    (project: string, id: string, flags: AppFlags & WindowFlags) =>
      group.run(flags, 'write', async (session) => {
        const { changeWindow, membersOf } = await import('./windows.js');
        return changeWindow(session, project, id, membersOf(flags));
      }),
  );
  group
    .verb('delete <project> <id>', 'delete a window', ['delete shop 0'])
    .action((project: string, id: string, flags: AppFlags) =>
      group.run(flags, 'write', async (session) =>
        (await import('./windows.js')).changeWindow(session, project, id, 'delete'),
      ),
    );
  for (const [word, isOn] of [
    ['enable', true],
    ['disable', false],
  ] as const) {
    for (const [what, member] of [
      ['manual-sync', 'manualSync'],
      ['sync-overrun', 'syncOverrun'],
    ] as const) {
      group
        .verb(`${word}-${what} <project> <id>`, `${word} ${what.replace('-', ' ')} in a window`, [
          `${word}-${what} shop 0`,
        ])
        .action((project: string, id: string, flags: AppFlags) =>
          group.run(flags, 'write', async (session) =>
            (await import('./windows.js')).changeWindow(session, project, id, { [member]: isOn }),
          ),
        );
    }
  }
}
