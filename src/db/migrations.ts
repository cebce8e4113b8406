import { fileURLToPath } from 'node:url';
import { projectFile } from '../own-files.ts';
import { Migrations } from './migration-state.ts';

export const migrations = new Migrations(fileURLToPath(projectFile('prisma/migrations/')));
