import { Fault } from '../../src/model/faults/index.js';
import { nameOf, type KubeObject } from '../../src/model/kubernetes/index.js';
import { clusterApplications, environmentApplication, projects, type RepositoryAddress } from './applications.js';
import { makeComponents } from './components.js';
import { makeEnvironments, type Environment } from './environments.js';
import { expectedClusterState, expectedState, type ExpectedState } from './expected-states.js';
import { FIRST_UNPLACED, privateImages, type Moment } from './first-moment.js';
import { makeOutside } from './outside.js';
import { ONCE_UNPLACED } from './platform-components.js';
import { makeFiles } from './repository-files.js';

export interface FleetOptions {
  /** How many, or which. */
  readonly environments: number | readonly Environment[];
  /** Applications in each environment; those of the cluster itself come on top. */
  readonly applications: number;
  readonly seed?: number;
  /** Only those of them with these names; all unless given. */
  readonly only?: readonly string[];
  /** Applications whose shared values hide where their environment runs, from a list of eleven. */
  readonly unplaced?: number;
  /** The platform as it was once; as it should be unless given. */
  readonly moment?: Moment;
  readonly repository: RepositoryAddress;
}

export interface Fleet {
  readonly environments: readonly Environment[];
  /** The repository's files by path. */
  readonly files: ReadonlyMap<string, string>;
  readonly projects: readonly KubeObject[];
  readonly applications: readonly KubeObject[];
  /** How each Application is to be seen, by name, when all that can happen has happened. */
  readonly expected: ReadonlyMap<string, ExpectedState>;
  /** What must be in the cluster before: nodes, namespaces, what lies in Azure. */
  readonly outside: readonly KubeObject[];
}

export const DEFAULT_SEED = 450;
const MAX_ENVIRONMENTS = 50;
const MAX_APPLICATIONS = 5000;

/** A platform's fleet: as many environments with the same components as wanted. The same options give the same. */
export function makeFleet({
  environments: wanted,
  applications,
  seed = DEFAULT_SEED,
  only,
  unplaced = 0,
  moment,
  repository,
}: FleetOptions): Fleet {
  checkNumber('--envs', typeof wanted === 'number' ? wanted : wanted.length, 1, MAX_ENVIRONMENTS);
  checkNumber('--apps', applications, 3, MAX_APPLICATIONS);
  checkNumber('--seed', seed, 0, 2 ** 31);
  checkNumber('--unplaced', unplaced, 0, ONCE_UNPLACED.length);
  const environments = typeof wanted === 'number' ? makeEnvironments(wanted) : wanted;
  const components = makeComponents(applications, seed).filter(({ name }) => only?.includes(name) ?? true);
  const hidden = new Set([...ONCE_UNPLACED.slice(0, unplaced), ...(moment === 'first' ? FIRST_UNPLACED : [])]);
  const ofCluster = clusterApplications(repository);
  const ofEnvironments = environments.flatMap((environment) =>
    components.map((component) => ({
      component,
      application: environmentApplication(component, environment, repository),
    })),
  );
  return {
    environments,
    files: makeFiles({ environments, components, seed, unplaced: hidden, ...(moment === undefined ? {} : { moment }) }),
    projects: projects(environments, repository),
    applications: [...ofCluster, ...ofEnvironments.map(({ application }) => application)],
    expected: new Map([
      ...ofCluster.map(
        (application) => [nameOf(application), expectedClusterState(nameOf(application), moment)] as const,
      ),
      ...ofEnvironments.map(
        ({ component, application }) => [nameOf(application), expectedState(component, moment, hidden)] as const,
      ),
    ]),
    outside: [
      ...makeOutside(environments, components, seed),
      ...(moment === 'first' ? [privateImages(components)] : []),
    ],
  };
}

function checkNumber(flag: string, value: number, least: number, most: number): void {
  if (!Number.isInteger(value) || value < least || value > most)
    throw new Fault('VALUE_INVALID', `must be a whole number from ${least} to ${most}`, { where: flag });
}
