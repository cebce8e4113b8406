import {
  type AndroidApp,
  type AppleApp,
  androidApp,
  appleApp,
  type DomainApps,
  MAX_APPS,
  readApps,
} from '../domain/short-domain/apps.ts';
import {
  createDomain,
  createDomainInput,
  deleteDomain,
  domainConnection,
  findDomain,
  findDomains,
  updateDomain,
  updateDomainInput,
  verificationRecord,
  verifyDomain,
} from '../domain/short-domain/domain.ts';
import { costs } from '../engine/graphql/cost/costs.ts';
import { builder } from './builder.ts';
import { DNS_COST } from './cost/field-cost.ts';
import { listDescriptions } from './domain-types.ts';
import { defineConnection } from './list.ts';
import { findNodes, Node } from './node.ts';
import { defineMutations, defineQuery, idArgs } from './record-fields.ts';
import {
  asDeleted,
  defineResult,
  InUseError,
  NotFoundError,
  ValidationError,
  withFailures,
} from './result.ts';

const DomainVerification = builder
  .objectRef<{ name: string; value: string }>('DomainVerification')
  .implement({
    description: 'The TXT record in DNS that verifies a domain.',
    fields: (t) => ({
      name: t.exposeString('name', { description: 'The name of the record: `_linkspace.go.example`.' }),
      value: t.exposeString('value', { description: 'The text of the record.' }),
    }),
  });

const described = { apple: listDescriptions(appleApp), android: listDescriptions(androidApp) };

const AppleAppType = builder.objectRef<AppleApp>('AppleApp').implement({
  description: 'An app for iOS, iPadOS or macOS.',
  fields: (t) => ({
    teamId: t.exposeString('teamId', described.apple('teamId')),
    bundleId: t.exposeString('bundleId', described.apple('bundleId')),
    paths: t.stringList({
      ...described.apple('paths'),
      extensions: costs({ size: MAX_APPS }),
      resolve: ({ paths }) => [...paths],
    }),
  }),
});

const AndroidAppType = builder.objectRef<AndroidApp>('AndroidApp').implement({
  description: 'An app for Android.',
  fields: (t) => ({
    package: t.exposeString('package', described.android('package')),
    fingerprints: t.stringList({
      ...described.android('fingerprints'),
      extensions: costs({ size: MAX_APPS }),
      resolve: ({ fingerprints }) => [...fingerprints],
    }),
  }),
});

const Apps = builder.objectRef<DomainApps>('DomainApps').implement({
  description: 'The apps that open the links of a domain on phones.',
  fields: (t) => ({
    apple: t.field({
      type: [AppleAppType],
      description: 'Apps for iOS, iPadOS and macOS.',
      extensions: costs({ size: MAX_APPS }),
      resolve: ({ apple }) => apple,
    }),
    android: t.field({
      type: [AndroidAppType],
      description: 'Apps for Android.',
      extensions: costs({ size: MAX_APPS }),
      resolve: ({ android }) => android,
    }),
  }),
});

const Domain = builder.prismaObject('Domain', {
  select: { id: true },
  interfaces: [Node],
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The id of the domain.' }),
    name: t.exposeString('name'),
    notFoundUrl: t.expose('notFoundUrl', { type: 'URL', nullable: true }),
    rootUrl: t.expose('rootUrl', { type: 'URL', nullable: true }),
    apps: t.field({
      type: Apps,
      select: { apps: true },
      description: 'The apps that open its links on phones.',
      resolve: readApps,
    }),
    forwardsPath: t.exposeBoolean('forwardsPath', {
      description:
        'Whether the rest of a path behind the alias of a link goes on to its destination; false for a shared domain.',
    }),
    shared: t.boolean({
      select: { accountId: true },
      description: 'Whether all accounts may use the domain; then no account can change it.',
      resolve: ({ accountId }) => accountId === null,
    }),
    verified: t.boolean({
      select: { verifiedAt: true },
      description:
        'Whether the account has proved that it owns the host. Until then, visitors do not get its links.',
      resolve: ({ verifiedAt }) => verifiedAt !== null,
    }),
    verification: t.field({
      type: DomainVerification,
      nullable: true,
      description: 'The TXT record that `verifyDomain` looks up; null for a domain that needs none.',
      select: { name: true, verificationToken: true },
      resolve: verificationRecord,
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime' }),
  }),
});

findNodes(Domain, ({ db, actor }, ids) => findDomains(db, actor, ids));

const connection = defineConnection('Domain', 'domains', Domain);

builder.queryFields((t) => ({
  domain: t.field({
    ...defineQuery(Domain, 'it does not exist or the account may not use it'),
    resolve: (_root, { id }, { db, actor }) => findDomain(db, actor, id),
  }),
  domains: t.field({
    ...connection,
    description:
      'The domains that the account may use, its own and the shared ones, oldest first, paginated by cursor.',
    resolve: (_root, args, { lists, actor }) => domainConnection(lists, actor, args),
  }),
}));

const { creation, update, deletion } = defineMutations(Domain, {
  create: createDomainInput,
  update: updateDomainInput,
  changes: 'Changes to a domain. Absent fields do not change.',
  failsToDelete: [InUseError],
});

const VerifyResult = defineResult('VerifyDomain', 'The verified domain', Domain, [
  ValidationError,
  NotFoundError,
]);

builder.mutationFields((t) => ({
  createDomain: t.field({
    ...creation,
    resolve: withFailures((_root, { input }, { db, actor, services, now }) =>
      createDomain(db, actor, services, input, now()),
    ),
  }),
  updateDomain: t.field({
    ...update,
    description: "Changes one of the account's own domains.",
    resolve: withFailures((_root, { id, input }, { db, actor, services, now }) =>
      updateDomain(db, actor, services, id, input, now()),
    ),
  }),
  verifyDomain: t.field({
    type: VerifyResult,
    extensions: costs({ work: DNS_COST }),
    description:
      "Looks up the TXT record of one of the account's own domains in DNS. If it is found, the domain serves visitors from now on.",
    args: idArgs('domain'),
    resolve: withFailures((_root, { id }, { db, actor, services, now }) =>
      verifyDomain(db, actor, services, id, now()),
    ),
  }),
  deleteDomain: t.field({
    ...deletion,
    description: "Deletes one of the account's own domains, if it has no links.",
    resolve: withFailures((_root, { id }, { db, actor, now }) =>
      asDeleted('Domain', deleteDomain(db, actor, id, now())),
    ),
  }),
}));
