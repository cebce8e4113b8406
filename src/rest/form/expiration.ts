import { z } from 'zod';
import { MIDNIGHT } from '../../domain/link/input.ts';
import { type Field, scalar } from './field.ts';

/** A time of day, as HH:MM: seconds would be stored, but never shown. */
const TIME = /^([01]\d|2[0-3]):[0-5]\d$/;

const DATE = z.iso.date();

/** The date, combined with `expiration_time`, in UTC. */
export const expirationDate: Field = {
  path: ['expiration', 'at'],
  about:
    'The date on which the link expires, YYYY-MM-DD in UTC. It goes together with `expiration_time`, in updates too: ' +
    'a date alone means 00:00. Cleared, it clears the time too.',
  describe: () => ({ type: 'string', format: 'date' }),
  decode(value, context) {
    const day = scalar(value, context);
    if (day === undefined) return undefined;
    if (!DATE.safeParse(day).success) context.refuse('must be a real date, as YYYY-MM-DD');
    const time = context.sent.get('expiration_time');
    const known = typeof time === 'string' && TIME.test(time);
    return DATE.safeParse(day).success ? `${day}T${known ? time : '00:00'}Z` : undefined;
  },
};

/** Used by `expiration_date`, whose empty value clears both. Cleared alone, it is midnight of the stored date. */
export const expirationTime: Field = {
  path: [],
  about:
    'The time on that date, HH:MM in UTC. It goes together with `expiration_date`, in updates too: a time alone is ' +
    'refused. Cleared alone, it becomes 00:00.',
  decodesEmpty: true,
  describe: () => ({ type: 'string', pattern: TIME.source }),
  decode(value, context) {
    const { sent, emptyClears, refuse, assign } = context;
    const time = scalar(value, context);
    if (time === undefined) return;
    const date = sent.get('expiration_date');
    if (time === '') {
      if (date === undefined) assign('expiration.at', MIDNIGHT);
      return;
    }
    if (!TIME.test(time)) refuse('must be a time of day, as HH:MM, from 00:00 to 23:59');
    else if (date === undefined || (date === '' && !emptyClears)) refuse('needs expiration_date as well');
  },
};
