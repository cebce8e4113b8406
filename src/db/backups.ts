import { Backups } from '../engine/db/backup.ts';

export const backups = new Backups('Linkspace');
