import type { ReactElement } from 'react';
import { texts } from '../texts.ts';
import { isolated } from '../words/isolated.ts';
import { splitAddress } from './address-parts.ts';

/** An address as a text: the host first, in ASCII and as people write it, and the user name apart. */
export function addressText(address: string): string {
  const { place, unicode, user } = splitAddress(address);
  const more = [unicode && isolated(unicode), user && texts.labelled(texts.userName, isolated(user))];
  const told = more.filter((one) => one !== null && one !== '').join(', ');
  return isolated(place) + (told && ` (${told})`);
}

/** The address with its scheme. */
export const fullAddressText = (address: string): string =>
  `${/^https?:\/\//i.exec(address)?.[0] ?? ''}${addressText(address)}`;

/** An address as people read it: the host first, in ASCII and as they write it, and the user name apart. */
export function Address({ of }: { of: string }): ReactElement {
  const { place, unicode, user } = splitAddress(of);
  return (
    <>
      <bdi>{place}</bdi>
      {unicode !== null && (
        <small className="quiet">
          {' '}
          (<bdi>{unicode}</bdi>)
        </small>
      )}
      {user !== null && (
        <small className="quiet">
          {' '}
          {texts.labelled(texts.userName, '')}
          <bdi>{user}</bdi>
        </small>
      )}
    </>
  );
}
