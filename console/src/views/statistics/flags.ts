import * as drawings from 'country-flag-icons/string/3x2';

/** The drawings of flags, by the codes of their countries. */
export const flags: Readonly<Partial<Record<string, string>>> = drawings;
