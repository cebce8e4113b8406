import type { ReactElement } from 'react';
import { useSession } from '../data/session.ts';
import type { Role } from '../generated/documents.ts';
import { settingsTexts } from '../settings-texts.ts';
import { texts } from '../texts.ts';
import { SelectField } from './field.tsx';

/** Each role includes the ones before it. */
const roles: readonly Role[] = ['VIEWER', 'EDITOR', 'ADMIN', 'OWNER'];

/** True if a role may do all that the other one may. */
export const isAtLeast = (role: Role | null, other: Role): boolean =>
  role !== null && roles.indexOf(role) >= roles.indexOf(other);

interface RoleFieldProps {
  readonly value: Role;
  onValue(role: Role): void;
  readonly highest?: Role;
  readonly error?: string | undefined;
}

/** A choice of roles up to one's own: nobody can give more. */
export function RoleField({ value, onValue, highest = 'OWNER', error }: RoleFieldProps): ReactElement {
  const { role } = useSession().viewer;
  const offered = roles.filter((one) => isAtLeast(role, one) && isAtLeast(highest, one));
  return (
    <SelectField
      label={settingsTexts.people.role}
      value={value}
      options={offered.map((one) => ({ value: one, text: texts.roles[one] }))}
      onValue={onValue}
      hint={texts.roleHints[value]}
      error={error}
    />
  );
}
