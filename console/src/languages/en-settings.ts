import type { WebhookDisabledReason } from '../generated/documents.ts';
import type { Words } from '../words/names.ts';
import { countingIn } from '../words/plural.ts';

const { counted: one } = countingIn('en');

const disabledFor: Words<WebhookDisabledReason> = {
  TOO_MANY_WAITING:
    'Disabled: too many messages waited, and they have failed. Make the receiver faster, then enable the webhook.',
  FAILING: 'Disabled: every attempt failed for five days. Repair the receiver, then enable the webhook.',
  BY_HAND: 'Disabled by hand: nothing is sent until it is enabled.',
};

/** The texts of the views of domains and their apps, people and webhooks. */
export const settingsTexts = {
  domains: {
    lead: 'The hosts of your short links.',
    apps: 'Apps on phones',
    create: 'New domain',
    edit: (name: string) => `Edit ${name}`,
    name: 'Host',
    nameHint: 'Such as go.example. What to enter in its DNS is shown as soon as it is saved.',
    renamed: 'A new host has to be verified again.',
    notFound: 'Unknown links lead to',
    notFoundHint: 'Empty: shows the default page.',
    notFoundTo: (url: string) => `Unknown links lead to ${url}`,
    forwardsPath: 'Pass on the rest of the path',
    forwardsPathHint: 'With a link guide, /guide/a/b leads to its destination with /a/b.',
    forwardsPathNow: 'The rest of the path goes on to the destination.',
    root: 'The bare domain leads to',
    rootHint: 'Empty: shows a page with the host’s name.',
    rootTo: (url: string) => `The bare domain leads to ${url}`,
    shared: 'Shared',
    verified: 'Verified',
    unverified: 'Not verified',
    none: 'No domain of your own yet',
    noneYet: 'Short links on your own host look familiar to visitors. You need access to its DNS.',
    dnsAhead:
      'You will enter this at the DNS provider. A TXT record that proves that the host is yours follows once it is saved.',
    showDns: 'DNS record',
    dns: (host: string) =>
      `Visitors do not get the links of this host yet. Enter this where the DNS of ${host} is managed, usually at whoever sold you the domain.`,
    dnsTime:
      'Wait. A new record is often seen after some minutes, sometimes after hours, at the latest after two days.',
    dnsThen: 'Check whether it is there. Then your links on this host work.',
    copyDns: 'Copy all',
    dnsVerified: 'The host is verified. For visitors to get here, its DNS needs this record.',
    leads: (host: string) => `Leads visitors to the server that ${host} is on.`,
    proves: 'Proves that the host is yours.',
    noCname: (host: string) =>
      `If a CNAME is refused, since the host has no subdomain, use an ALIAS or ANAME, or an A record with the IP address of ${host}.`,
    noAddress: (host: string) =>
      `For visitors to get here, the host has to lead to the server of the service: by a CNAME record with the server’s name, or by A and AAAA records with its IP addresses. The service is set up as ${host}, which works only in its own network: ask whoever runs it for its name or addresses.`,
    dnsNotes:
      'Some forms append the domain to the name: then leave it out. For https, the operator of the service has to set up a certificate for the host.',
    nextAfter: {
      TXT_RECORD:
        'Was it saved a few minutes ago? Check again later. If it is older, compare its name with the one above.',
      TXT_OTHER: 'Correct its value, and check again in some minutes.',
      TXT_UNREAD: 'Check again later.',
    } as Readonly<Partial<Record<string, string>>>,
    recordType: 'Type',
    recordName: 'Name',
    recordValue: 'Value',
    check: 'Check now',
    checking: 'Checking…',
    nowVerified: (name: string) => `${name} is verified. Choose it now as the domain of a new link.`,
    deleteTitle: (name: string) => `Delete the domain ${name}?`,
    deleteWarning: 'A domain with links cannot be deleted.',
  },
  apps: {
    title: (name: string) => `Apps of ${name}`,
    lead: 'Apps that open the links of this host on phones. One app a line.',
    apple: 'iOS',
    appleHint:
      'Team id, bundle id, and paths: ABCDE12345.com.example.app /a/*, NOT /b/*. Without paths: all.',
    android: 'Android',
    androidHint: 'Package, and SHA-256 fingerprints: com.example.app 1F:2E:…',
    line: (at: number, text: string) => `Line ${at}: ${text}`,
  },
  people: {
    lead: (account: string) => `The members of the account “${account}”, and their roles.`,
    invite: 'Invite somebody',
    inviteHint: 'The invitation is for this address, and for 7 days.',
    isMember: (name: string, role: string) =>
      `${name} is a member already, as ${role}: change the role in the list of people.`,
    makeLink: 'Invite',
    linkMailed:
      'The invitation is on its way by mail. You can send this link yourself, too; it is not shown again.',
    link: 'Invitation link',
    linkWarning: 'Send it to the person whom you invited. It is not shown again.',
    role: 'Role',
    you: 'You',
    since: (day: string) => `since ${day}`,
    changeRole: 'Change the role',
    roleOf: (name: string) => `The role of ${name}`,
    lowered: 'Somebody who gets a lower role is signed out.',
    remove: 'Remove',
    removeTitle: (name: string) => `Remove ${name} from the account?`,
    removeWarning: 'Their links stay. They are signed out, and their invitations end.',
    leave: 'Leave the account',
    leaveTitle: (account: string) => `Leave ${account}?`,
    leaveWarning: 'Your links stay. You are signed out, and your invitations end.',
    noKeysStop: 'No key stops working.',
    keysStop: (count: number) => `${one(count, 'key stops', 'keys stop')} working at once:`,
    keysUnknown: 'Wait until the keys that stop are listed.',
    webhooksStay: (count: number) =>
      `${one(count, 'webhook goes', 'webhooks go')} on sending this account’s changes:`,
    disableWebhooks: 'Disable these webhooks',
    invited: 'Invited',
    noneInvited: 'No pending invitations',
    ends: (when: string, isPast: boolean) => `${isPast ? 'ended' : 'ends'} ${when}`,
    revoke: 'Revoke',
    revokeTitle: (email: string) => `Revoke the invitation for ${email}?`,
    revokeWarning: 'Its link stops working.',
    settings: 'Account settings',
    accountName: 'Name of the account',
    accountNameHint: 'What people see. The operator’s commands keep their own name for it.',
    defaultPrivacy: 'Statistics of new links',
    defaultPrivacyHint: 'Who sees them. Existing links stay as they are.',
  },
  webhooks: {
    madeBy: (maker: string | null, changer: string | null) =>
      `made by ${maker ?? 'an unknown author'}, URL and secret by ${changer ?? 'an unknown author'}`,
    lead: 'Requests that tell other systems about changes.',
    create: 'New webhook',
    edit: 'Edit the webhook',
    none: 'No webhooks yet',
    noneYet: 'A webhook sends each change to a URL of yours, signed with a secret.',
    url: 'URL of the receiver',
    urlHint: 'An https URL that can be reached from the Internet.',
    receives: 'What the receiver gets',
    receivesHint:
      'One POST for each change, within about a second. The receiver checks the signature with the secret, and answers with 200 to 299 within 10 seconds.',
    tested: 'The test, as it is sent',
    allEvents: 'All events',
    events: 'Events',
    rotate: 'New secret',
    rotateTitle: 'Make a new secret?',
    rotateWarning: 'The present one also signs requests for 24 hours.',
    secret: 'The secret of the webhook',
    secretWarning:
      'It is shown only this once. Copy it now, and store it in the receiver, which checks with it that requests are genuine.',
    deliveries: 'Deliveries',
    noDeliveries: 'Nothing was sent in the last 30 days. Change a link to see a delivery here.',
    sending: 'Is being sent…',
    retried: 'It is sent again by itself.',
    answered: (status: number, time: string) => `Answered with ${status} at ${time}.`,
    redeliver: 'Send again',
    test: 'Send a test',
    delivered: (outcome: string) => `Delivered. ${outcome}`,
    notDelivered: (outcome: string) => `Not delivered. ${outcome}`,
    disabledFor,
    notPublic: (host: string) =>
      `${host} is a host of a private network: nothing is delivered to it, unless the operator of this service allows it. Enter an https URL that can be reached from the Internet.`,
    refresh: 'Refresh',
    deleteTitle: 'Delete the webhook?',
    deleteWarning: (url: string) => `Nothing is sent to ${url} any more, and its deliveries are lost.`,
  },
};

export type SettingsTexts = typeof settingsTexts;
