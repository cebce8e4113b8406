import { CreateSpaceDocument, CreateTagDocument } from '../generated/documents.ts';
import type { Session } from './session.ts';
import { write } from './write.ts';

let last: Promise<unknown> = Promise.resolve();

function remember<Made>(made: Promise<Made>): Promise<Made> {
  last = Promise.allSettled([last, made]);
  return made;
}

/** Creates a space for the form that is open. */
export const createSpace = (session: Session, name: string, color: number) =>
  remember(write(session, CreateSpaceDocument, { input: { name, color } }).then((data) => data.createSpace));

/** Creates a tag for the form that is open. */
export const createTag = (session: Session, name: string, color: number) =>
  remember(write(session, CreateTagDocument, { input: { name, color } }).then((data) => data.createTag));

/** Resolves when the form has the spaces and tags that somebody just asked for: what they are for is not sent before. */
export async function spaceIsThere(): Promise<void> {
  await last;
  await new Promise((done) => setTimeout(done));
}
