import { addAccount } from './account/index.js';
import { addAdmin } from './admin/index.js';
import { addAudit } from './audit/index.js';
import { addApp } from './app/index.js';
import { addAppset } from './appset/index.js';
import { addCheck } from './check/index.js';
import { addCluster } from './cluster/index.js';
import type { AddCommand } from './command/index.js';
import { addCompletion } from './completion/index.js';
import { addController } from './controller/index.js';
import { addDemo } from './demo/index.js';
import { addDrift } from './drift/index.js';
import { addHealth } from './health/index.js';
import { addDoctor, addInstall, addUninstall, addUpgrade } from './install/index.js';
import { addLogin, addVersion } from './login/index.js';
import { addNotebook } from './notebook/index.js';
import { addProj } from './proj/index.js';
import { addRender, addValues } from './render/index.js';
import { addRepo } from './repo/index.js';
import { addSecrets } from './secrets/index.js';
import { addServe } from './serve/index.js';
import { addTriage } from './triage/index.js';
import { addApiserver, addUp } from './up/index.js';

/** Every command of `argosy`, in the order of its help. */
export const COMMANDS: readonly AddCommand[] = [
  addUp,
  addApiserver,
  addController,
  addServe,
  addInstall,
  addUpgrade,
  addUninstall,
  addDoctor,
  addRender,
  addValues,
  addHealth,
  addApp,
  addProj,
  addRepo,
  addCluster,
  addAppset,
  addAdmin,
  addNotebook,
  addAudit,
  addCheck,
  addTriage,
  addDrift,
  addSecrets,
  addLogin,
  addAccount,
  addDemo,
  addCompletion,
  addVersion,
];
