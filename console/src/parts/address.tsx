import { Fragment, type ReactElement, type ReactNode } from 'react';
import { texts } from '../texts.ts';
import { shortUrlText } from '../words/format.ts';
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

/** The most characters at the end of a path that stay in sight. */
const TAIL = 14;

/** The start of an address, with its host, and the end of its path, which is shown whatever the room. No word is cut near a separator. */
function halves(place: string): readonly [start: string, end: string] {
  const all = [...place];
  const path = all.indexOf('/');
  const tail = all.length - TAIL;
  const near = all.findIndex(
    (one, index) => index >= tail && index < tail + TAIL / 2 && /[/?&=._-]/.test(one),
  );
  const at = path < 0 ? all.length : Math.max(path, near < 0 ? tail : near);
  return [all.slice(0, at).join(''), all.slice(at).join('')];
}

/** The start of an address, which may go on below after each part of its path. */
const inParts = (start: string): ReactNode[] =>
  start.split(/(?<=\/)/).map((part, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: parts are known by their place alone
    <Fragment key={index}>
      {index > 0 && <wbr />}
      {part}
    </Fragment>
  ));

/**
 * An address as people read it: the host first, in ASCII and as they write it, and the user name apart.
 * @param isCut true on one line, where it loses its middle if there is no room
 */
export function Address({ of, isCut = false }: { of: string; isCut?: boolean }): ReactElement {
  const { place, unicode, user } = splitAddress(of);
  const [start, end] = isCut ? halves(place) : [place, ''];
  const isHidden = end !== '' || undefined;
  return (
    <>
      <bdi aria-hidden={isHidden}>{isCut ? start : inParts(start)}</bdi>
      {isHidden && (
        <>
          <bdi className="end" aria-hidden>
            {end}
          </bdi>
          {/* Screen readers would read the halves as two texts. */}
          <bdi className="unseen">{place}</bdi>
        </>
      )}
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

/** A short URL without its scheme. Where there is no room, styles leave the host out: the alias tells links apart. */
export function ShortUrl({ of }: { of: string }): ReactElement {
  const [, host, alias] = /^([^/]*\/?)(.*)$/s.exec(shortUrlText(of)) ?? [];
  return (
    <bdi>
      <span className="host">{host}</span>
      {alias}
    </bdi>
  );
}
