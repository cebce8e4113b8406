import { CreateSpaceDocument, type CreateSpaceMutation } from '../generated/documents.ts';
import type { Session } from './session.ts';
import { write } from './write.ts';

let last: Promise<unknown> = Promise.resolve();

/** Creates a space for the form that is open. */
export function createSpace(
  session: Session,
  name: string,
  color: number,
): Promise<CreateSpaceMutation['createSpace']> {
  const made = write(session, CreateSpaceDocument, { input: { name, color } });
  last = made.catch(() => undefined);
  return made.then((data) => data.createSpace);
}

/** Resolves when the form has the space that somebody just asked for: what it is for is not sent before. */
export async function spaceIsThere(): Promise<void> {
  await last;
  await new Promise((done) => setTimeout(done));
}
