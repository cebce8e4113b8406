import { createDomain, deleteDomain, updateDomain, usableDomain, usableDomains } from '../domain/domain.ts';
import { builder } from './builder.ts';
import { InUseError } from './error.ts';
import { asDeleted, asResult, resultsOf } from './result.ts';

export const Domain = builder.prismaObject('Domain', {
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The id of the domain.' }),
    name: t.exposeString('name'),
    notFoundUrl: t.expose('notFoundUrl', { type: 'URL', nullable: true }),
    shared: t.boolean({
      description: 'Whether all accounts may use it; then none can change it.',
      resolve: ({ accountId }) => accountId === null,
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime' }),
  }),
});

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
  domains: t.prismaField({
    type: [Domain],
    description: 'The domains that the account may use, its own and the shared ones, the oldest first.',
    resolve: (query, _root, _args, { db, actor }) =>
      db.domain.findMany({ ...query, where: usableDomains(actor), orderBy: { id: 'asc' } }),
  }),
}));

const CreateDomainInput = builder.inputType('CreateDomainInput', {
  description: 'A new domain.',
  fields: (t) => ({
    name: t.string({ required: true, description: 'The host: `go.example`. One account alone can have it.' }),
    notFoundUrl: t.string({
      description: "Where visitors of an unknown alias are sent; the service's page by default.",
    }),
  }),
});

const UpdateDomainInput = builder.inputType('UpdateDomainInput', {
  description: 'Changes of a domain. What is absent stays as it is.',
  fields: (t) => ({
    name: t.string({ description: 'The host; cannot be cleared.' }),
    notFoundUrl: t.string({ description: 'Where visitors of an unknown alias are sent; null clears it.' }),
  }),
});

const { CreateResult, UpdateResult, DeleteResult } = resultsOf('Domain', Domain, [InUseError]);

builder.mutationFields((t) => ({
  createDomain: t.field({
    type: CreateResult,
    description: 'Adds a domain.',
    args: { input: t.arg({ type: CreateDomainInput, required: true, description: 'The new domain.' }) },
    resolve: (_root, { input }, { db, actor, now }) => asResult(createDomain(db, actor, input, now())),
  }),
  updateDomain: t.field({
    type: UpdateResult,
    description: "Changes one of the account's own domains.",
    args: {
      id: t.arg.id({ required: true, description: 'The id of the domain.' }),
      input: t.arg({ type: UpdateDomainInput, required: true, description: 'What to change.' }),
    },
    resolve: (_root, { id, input }, { db, actor, now }) =>
      asResult(updateDomain(db, actor, id, input, now())),
  }),
  deleteDomain: t.field({
    type: DeleteResult,
    description: "Deletes one of the account's own domains, where no link is left on it.",
    args: { id: t.arg.id({ required: true, description: 'The id of the domain.' }) },
    resolve: (_root, { id }, { db, actor }) => asDeleted(deleteDomain(db, actor, id)),
  }),
}));
