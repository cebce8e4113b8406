import type { KeyCaller } from '../../engine/db/keyed-request.ts';
import { type Actor, callerOf, senderName } from './actor.ts';
import { roleNames } from './role.ts';

const ADVICE = 'Use createLinks or importLinks, which need fewer keys, or send no key.';

/** A caller with idempotency keys; without a key or user, the service itself. */
export function makeKeyCaller(
  actor: Pick<Actor, 'accountId'> & Partial<Pick<Actor, 'keyId' | 'userId' | 'role' | 'permissions'>>,
): KeyCaller {
  const { accountId, keyId = null, userId = null } = actor;
  return {
    accountId,
    userId,
    number: keyId === null && userId === null ? null : callerOf({ keyId, userId }),
    advice: ADVICE,
    roles: roleNames,
    rights() {
      const { role = null, permissions = new Set() } = actor;
      return { role, sender: senderName({ userId, role, permissions }) };
    },
  };
}
