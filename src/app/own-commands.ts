import { IS_PACKAGE } from '../engine/tools/own-files.ts';

/** Returns a text for operators with commands as they type them: `npm run keys -- list`, or `npx linkspace keys list`. */
export function withOwnCommands(text: string, isPackage = IS_PACKAGE): string {
  if (!isPackage) return text;
  return text
    .replaceAll(/npm run (?:--silent )?(\w+)(?: --(?= ))?/g, 'npx linkspace $1')
    .replaceAll('npm start', 'npx linkspace');
}
