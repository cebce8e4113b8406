/** The texts for visitors, in English; `{…}` stands for a value. */
export const en = {
  messages: {
    notFound: {
      title: 'We couldn’t find this link',
      text: 'Check the address for typos, or ask whoever shared it.',
    },
    unreadable: {
      title: 'This address cannot be read',
      text: 'Check it for typos, or ask whoever shared it.',
    },
    tooLarge: {
      title: 'Your browser sends too much',
      text: 'The address or the cookies of this site are too long. Delete the cookies, or open the link in a private window.',
    },
    disabled: { title: 'This link is switched off', text: 'Ask whoever shared it for another one.' },
    blocked: { title: 'This link is not available', text: 'It no longer leads anywhere.' },
    expired: { title: 'This link has expired', text: 'Ask whoever shared it for a new one.' },
    password: { title: 'Enter the password', text: 'This link is protected by a password.' },
    statisticsPassword: {
      title: 'Enter the password',
      text: 'The statistics of this link are protected by a password.',
    },
    limited: { title: 'Too many attempts', text: 'Wait a minute, then try again.' },
    unavailable: { title: 'Temporarily unavailable', text: 'Try again in a moment.' },
    preview: {
      title: 'Short link',
      text:
        'Open it in a browser to follow it. ' +
        'It works only a limited number of times, so programs and previews do not see where it leads.',
    },
    moving: { title: 'One moment', text: 'You are being redirected.' },
  },
  wrong: 'Wrong password. Try again.',
  /** Follows `wrong` after the third of five attempts. */
  pause: 'After five wrong passwords, you have to wait a minute.',
  label: 'Password',
  submit: 'Continue',
  help: 'Help',
  /** The text of the page at the root of a host, below its name. */
  root: 'This host serves short links.',
  /** The page at the root of a host for people. */
  start: {
    title: 'Short links',
    console: 'Open the console',
    consoleText:
      'Create, find and change links, and see their statistics. Sign in, or ask an owner of your account for an invitation.',
    statistics: 'See the statistics of a link',
    /** HTML. */
    statisticsText:
      'Add a plus sign to the end of a short link, such as <kbd>/sale+</kbd>. The owner of the link decides who can see them.',
  },
  statistics: {
    title: 'Statistics',
    /** Stands between a name and its value. */
    colon: ': ',
    periods: 'Period',
    days: '{count} days',
    clicks: 'Clicks',
    visitors: 'Visitors',
    bots: 'Bots',
    perDay: 'Clicks and visitors per day',
    day: 'Day',
    value: 'Value',
    share: 'Share',
    table: 'Show as table',
    /** Instead of a list of values: the clicks have none, or all are of the running day. */
    nothing: 'Nothing was recorded of these clicks: the visitors decline tracking.',
    later: 'Today’s clicks show here from {day} on.',
    /** The last day of the chart, which has not ended. */
    running: 'so far',
    unfinished: 'Today so far',
    copy: 'Copy',
    copied: 'Copied',
    qrCode: 'QR code',
    empty: {
      title: 'No clicks in this period',
      active: 'Share the short link: a click shows up here within seconds.',
      disabled: 'The link is switched off: clicks are not counted.',
      earlier: 'For earlier clicks, choose a longer period.',
    },
    unknown: 'Unknown',
    direct: 'Direct or unknown',
    others: 'Others',
    unrecorded: 'Not recorded',
    former: 'Former',
    user: 'User name',
    dimensions: {
      BROWSER: 'Browsers',
      OS: 'Operating systems',
      DEVICE: 'Devices',
      COUNTRY: 'Countries',
      LANGUAGE: 'Languages',
      REFERRER: 'Referring sites',
      DESTINATION: 'Destinations',
    },
    devices: { desktop: 'Desktop', mobile: 'Phone', tablet: 'Tablet', other: 'Other devices' },
    /** The text alternative of the chart. */
    altText: 'Clicks: {clicks}. Visitors: {visitors}. Most clicks: {most} on {day}.',
    rounded: 'Rounded for privacy: visitors and the lists.',
    details: 'Details',
    note:
      'Days are in UTC. A visitor counts once a day; visitors over several days are the sum of the days. ' +
      'Bots are not part of the clicks. Visitors and the lists leave out today, ' +
      'and the lists, except for destinations, visitors who decline tracking. They count in steps of about five; the rest of ' +
      'the lists is part of “Others”. “Former” are all destinations that are not open to everybody now.',
  },
};

export type Texts = typeof en;
