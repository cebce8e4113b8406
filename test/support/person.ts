import { beginSession } from '../../src/domain/access/session.ts';
import { Person } from '../../src/testing/person.ts';
import type { TestServer } from './server.ts';

export { type Answered, Person } from '../../src/testing/person.ts';

let made = 0;

/** A new user with a role in an account, who is signed in. */
export async function signedIn(
  server: Pick<TestServer, 'origin' | 'database' | 'clock'>,
  accountId: number,
  role: string,
): Promise<Person & { userId: number; memberId: number }> {
  const now = server.clock.now;
  const { prisma } = server.database;
  const email = `person-${++made}@example.com`;
  const user = await prisma.user.create({
    data: { name: `Person ${made}`, email, emailKey: email, createdAt: now },
  });
  const member = await prisma.membership.create({
    data: { accountId, userId: user.id, role, createdAt: now },
  });
  const { token } = await beginSession(server.database, user, 'a browser', now);
  const person = new Person(server);
  person.cookie = `__Host-linkspace=${token}`;
  return Object.assign(person, { userId: user.id, memberId: member.id });
}
