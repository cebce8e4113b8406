import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isRequiredArgument,
  isRequiredInputField,
  isUnionType,
} from 'graphql';
import { beginSession } from '../../src/domain/access/session.ts';
import { schema } from '../../src/schema/index.ts';
import { settled } from './database.ts';
import { signedIn } from './person.ts';
import type { Caller, TestServer } from './server.ts';

/** A mutation of the schema. */
export type Mutation = GraphQLField<unknown, unknown>;

export const mutations: readonly Mutation[] = Object.values(schema.getMutationType()?.getFields() ?? {});

let count = 0;
const unique = () => `made${++count}`;
/** A text that may be a name, an alias or a number. */
const digits = () => String(12_345_678 + ++count);
const far = new Date('2099-01-01T00:00:00Z');

/** Returns functions that make a record of each kind that a mutation can change. Each resolves to the record's id. */
function makersOf(server: TestServer, accountId: number, owner: Caller, userId: number) {
  const { database, clock } = server;
  const { prisma } = database;
  const times = { createdAt: clock.now, updatedAt: clock.now };
  const webhook = async () => {
    const data = { ...times, accountId, url: 'https://hook.example/', events: 'LINK_CREATED', secret: 'x' };
    return (await prisma.webhook.create({ data: { ...data, queue: { create: {} } } })).id;
  };
  return {
    Link: async () => (await owner.link({ url: `https://${unique()}.example/` })).id,
    Space: () => owner.space(unique()),
    Tag: () => owner.tag(unique()),
    Pixel: () => owner.pixel(unique()),
    async Domain() {
      const id = await owner.domain(`${unique()}.example`);
      const { name, verificationToken } = await prisma.domain.findUniqueOrThrow({ where: { id } });
      server.dns.set(`_linkspace.${name}`, [`linkspace-verification=${verificationToken}`]);
      return id;
    },
    UtmTemplate: async () =>
      (await prisma.utmTemplate.create({ data: { ...times, accountId, name: unique(), nameKey: unique() } }))
        .id,
    SavedView: async () =>
      (
        await prisma.savedView.create({
          data: { ...times, accountId, name: unique(), nameKey: unique(), view: 'LINKS', query: '' },
        })
      ).id,
    Webhook: webhook,
    async Delivery() {
      const data = { webhookId: await webhook(), messageId: unique(), event: 'PING', kind: 'WEBHOOK' };
      const row = { ...data, recordId: 1, createdAt: clock.now, status: 'FAILED', nextAttemptAt: far };
      return (await prisma.webhookDelivery.create({ data: row })).id;
    },
    Member: async () => (await signedIn(server, accountId, 'VIEWER')).memberId,
    async Invitation() {
      const email = `${unique()}@example.com`;
      const data = { accountId, email, emailKey: email, role: 'VIEWER', hash: unique() };
      return (await prisma.invitation.create({ data: { ...data, createdAt: clock.now, expiresAt: far } })).id;
    },
    async ApiKey() {
      const data = { accountId, hash: unique(), prefix: 'x', scopes: 'read', createdAt: clock.now };
      return (await prisma.apiKey.create({ data })).id;
    },
    /** The update of a new link, which can be taken back. */
    async Change() {
      const link = (await owner.link({ url: `https://${unique()}.example/` })).id;
      await owner.data(
        `mutation { updateLink(id: "${link}", input: { title: "${unique()}" }) { __typename } }`,
      );
      await settled(database);
      const where = { kind: 'LINK', recordId: Number(link), action: 'UPDATED' };
      return (await prisma.change.findFirstOrThrow({ where })).id;
    },
    async SavedOperation() {
      const data = { ...times, accountId, name: unique(), document: '{ __typename }', hash: unique() };
      return (await prisma.savedOperation.create({ data })).id;
    },
    Session: async () => (await beginSession(database, { id: userId, password: null }, 'x', clock.now)).id,
  };
}

type Kind = keyof ReturnType<typeof makersOf>;

/** The kind of record that an id is of, by the argument's name, or else the mutation's. */
function kindOf(mutation: string, argument: string, kinds: readonly Kind[]): Kind {
  const of = argument.replace(/Ids?$/, '').toLowerCase();
  const found =
    kinds.find((kind) => kind.toLowerCase() === of) ?? kinds.find((kind) => mutation.includes(kind));
  if (found === undefined) throw new Error(`no test knows what ${argument} of ${mutation} is the id of`);
  return found;
}

const NAMES = /^(title|name|url)$/;

/** The fields that an input is given: all that it needs, and one that changes something. */
function givenFields(type: GraphQLInputObjectType): GraphQLInputField[] {
  const fields = Object.values(type.getFields());
  const needed = fields.filter(isRequiredInputField);
  const texts = fields.filter((field) => String(getNamedType(field.type)) === 'String');
  return needed.length > 0
    ? needed
    : [texts.find(({ name }) => NAMES.test(name)) ?? texts[0]].flatMap((one) => one ?? []);
}

/** Calls of mutations that change something, with arguments made by the schema, for records of an account. */
export function callsOf(server: TestServer, accountId: number, owner: Caller, userId: number) {
  const makers = makersOf(server, accountId, owner, userId);
  const kinds = Object.keys(makers) as Kind[]; // The keys of the object above.
  const valueFor = async (
    mutation: string,
    { name, type: given }: GraphQLArgument | GraphQLInputField,
    within = mutation,
    type: GraphQLInputType = getNullableType(given),
  ): Promise<string> => {
    if (isListType(type))
      return `[${await valueFor(mutation, { name, type: given } as GraphQLArgument, within, getNullableType(type.ofType))}]`;
    if (isInputObjectType(type)) {
      const fields = [];
      for (const field of givenFields(type))
        fields.push(`${field.name}: ${await valueFor(mutation, field, type.name)}`);
      return `{ ${fields.join(', ')} }`;
    }
    if (isEnumType(type)) return type.getValues()[1]?.name ?? '';
    if (name === 'nodeId') return `"${Buffer.from(`Link:${await makers.Link()}`).toString('base64url')}"`;
    if (String(type) === 'ID') return `"${await makers[kindOf(mutation, name, kinds)]()}"`;
    if (name === 'email') return `"${unique()}@example.com"`;
    if (name === 'text') return `"url\\nhttps://${unique()}.example/"`;
    if (/SavedOperation/.test(within)) return name === 'document' ? '"{ __typename }"' : `"${unique()}"`;
    if (/Domain/.test(within)) return `"${unique()}.example"`;
    return /url/i.test(name) ? `"https://${unique()}.example/"` : `"${digits()}"`;
  };
  /** The call of a mutation, which answers with its type alone. */
  return async ({ name, args, type }: Mutation): Promise<string> => {
    const given = [];
    for (const arg of args)
      if (isRequiredArgument(arg)) given.push(`${arg.name}: ${await valueFor(name, arg)}`);
    const below = isUnionType(getNamedType(type))
      ? ' { __typename ... on Error { message } }'
      : ' { __typename }';
    return `${name}(${given.join(', ')})${below}`;
  };
}
