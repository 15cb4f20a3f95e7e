// Loaded into a process that is measured: says at its end what it used. ARGOSY_USAGE names the file.
import { writeFileSync } from 'node:fs';

process.on('exit', () => writeFileSync(process.env['ARGOSY_USAGE'] ?? '', JSON.stringify(process.resourceUsage())));
