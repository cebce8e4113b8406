import { fileURLToPath } from 'node:url';
import { projectFile } from '../shared/own-files.ts';
import { Migrations } from './migration-state.ts';

export const migrations = new Migrations(fileURLToPath(projectFile('prisma/migrations/')));
