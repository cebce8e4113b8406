/** True while the page is as narrow as on a phone, as styles have it. */
export const isPhone = (): boolean => matchMedia('(max-width: 40rem)').matches;
