import {
  createDomain,
  deleteDomain,
  edgesOfDomains,
  updateDomain,
  usableDomain,
  verificationOf,
  verifyDomain,
} from '../domain/domain.ts';
import { builder } from './builder.ts';
import { changeCost, costs, DNS } from './cost.ts';
import { InUseError, NotFoundError, ValidationError } from './error.ts';
import { connectionOf, edgesArgs, listCost } from './list.ts';
import { asDeleted, asResult, resultsOf, resultType } from './result.ts';

const DomainVerification = builder
  .objectRef<{ name: string; value: string }>('DomainVerification')
  .implement({
    description: 'A TXT record in DNS, by which an account shows that it has a host.',
    fields: (t) => ({
      name: t.exposeString('name', { description: 'The name of the record: `_linkspace.go.example`.' }),
      value: t.exposeString('value', { description: 'The text of the record.' }),
    }),
  });

export const Domain = builder.prismaObject('Domain', {
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The id of the domain.' }),
    name: t.exposeString('name'),
    notFoundUrl: t.expose('notFoundUrl', { type: 'URL', nullable: true }),
    shared: t.boolean({
      description: 'Whether all accounts may use it; then none can change it.',
      resolve: ({ accountId }) => accountId === null,
    }),
    verified: t.boolean({
      description:
        'Whether it is shown that the account has the host. Until then, visitors do not get its links.',
      resolve: ({ verifiedAt }) => verifiedAt !== null,
    }),
    verification: t.field({
      type: DomainVerification,
      nullable: true,
      description: 'The TXT record that `verifyDomain` looks for; null for a domain that needs none.',
      resolve: verificationOf,
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime' }),
  }),
});

const DomainConnection = connectionOf('Domain', 'domains', Domain);

builder.queryFields((t) => ({
  domain: t.prismaField({
    type: Domain,
    nullable: true,
    description: 'The domain with this id; null where the account may not use such a one.',
    args: { id: t.arg.id({ required: true, description: 'The id of the domain.' }) },
    resolve: (query, _root, { id }, { db, actor }) => {
      const where = usableDomain(actor, id);
      return where && db.domain.findUnique({ ...query, where });
    },
  }),
  domains: t.field({
    type: DomainConnection,
    extensions: listCost,
    description:
      'The domains that the account may use, its own and the shared ones, by cursor, the oldest first.',
    args: edgesArgs,
    resolve: (_root, args, { lists, actor }) => edgesOfDomains(lists, actor, args),
  }),
}));

const CreateDomainInput = builder.inputType('CreateDomainInput', {
  description: 'A new domain.',
  fields: (t) => ({
    name: t.string({
      required: true,
      description:
        'The host: `go.example`. One account alone can have it. It has to be verified before it serves visitors: see `verification`.',
    }),
    notFoundUrl: t.string({
      description: "Where visitors of an unknown alias are sent; the service's page by default.",
    }),
  }),
});

const UpdateDomainInput = builder.inputType('UpdateDomainInput', {
  description: 'Changes of a domain. What is absent stays as it is.',
  fields: (t) => ({
    name: t.string({ description: 'The host; cannot be cleared. Another one has to be verified anew.' }),
    notFoundUrl: t.string({ description: 'Where visitors of an unknown alias are sent; null clears it.' }),
  }),
});

const { CreateResult, UpdateResult, DeleteResult } = resultsOf('Domain', Domain, [InUseError]);

const VerifyResult = builder.unionType('VerifyDomainResult', {
  description: 'The verified domain, or why it is not verified.',
  types: [Domain, ValidationError, NotFoundError],
  resolveType: resultType('Domain'),
});

builder.mutationFields((t) => ({
  createDomain: t.field({
    type: CreateResult,
    extensions: changeCost,
    description: 'Adds a domain.',
    args: { input: t.arg({ type: CreateDomainInput, required: true, description: 'The new domain.' }) },
    resolve: (_root, { input }, { db, actor, site, now }) =>
      asResult(createDomain(db, actor, site, input, now())),
  }),
  updateDomain: t.field({
    type: UpdateResult,
    extensions: changeCost,
    description: "Changes one of the account's own domains.",
    args: {
      id: t.arg.id({ required: true, description: 'The id of the domain.' }),
      input: t.arg({ type: UpdateDomainInput, required: true, description: 'What to change.' }),
    },
    resolve: (_root, { id, input }, { db, actor, site, now }) =>
      asResult(updateDomain(db, actor, site, id, input, now())),
  }),
  verifyDomain: t.field({
    type: VerifyResult,
    extensions: costs({ work: DNS }),
    description:
      "Looks in DNS for the TXT record of one of the account's own domains. Once it was found, visitors get the domain's links.",
    args: { id: t.arg.id({ required: true, description: 'The id of the domain.' }) },
    resolve: (_root, { id }, { db, actor, site, now }) => asResult(verifyDomain(db, actor, site, id, now())),
  }),
  deleteDomain: t.field({
    type: DeleteResult,
    extensions: changeCost,
    description: "Deletes one of the account's own domains, where no link is left on it.",
    args: { id: t.arg.id({ required: true, description: 'The id of the domain.' }) },
    resolve: (_root, { id }, { db, actor, now }) => asDeleted(deleteDomain(db, actor, id, now())),
  }),
}));
