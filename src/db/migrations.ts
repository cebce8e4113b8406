import { fileURLToPath } from 'node:url';
import { Migrations } from '../engine/db/migration-state.ts';
import { projectFile } from '../engine/tools/own-files.ts';

export const migrations = new Migrations(fileURLToPath(projectFile('prisma/migrations/')));
