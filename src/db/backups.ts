import { Backups } from './backup.ts';

export const backups = new Backups('Linkspace');
