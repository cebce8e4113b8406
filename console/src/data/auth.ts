import { useEffect, useState } from 'react';
import type { Role } from '../generated/documents.ts';
import { language } from '../language.ts';
import { away, useAfterOutage, useRetry } from './away.ts';
import { Fault, faultOfCode, faultOfResponse, mayBeOutage, type Told } from './faults.ts';
import type { Outcome } from './refusals.ts';
import { askToSignIn } from './sign-in-again.ts';

interface Account {
  readonly id: string;
  readonly name: string;
  readonly role: Role;
}

/** The user who is signed in. */
export interface SignedIn {
  readonly user: { readonly id: string; readonly name: string; readonly email: string };
  readonly accounts: readonly Account[];
}

/** The sign-in methods on this host. */
export interface Methods {
  readonly password: boolean;
  readonly passkeys: boolean;
  /** The address at which passkeys work, if they do not here. */
  readonly consoleUrl: string;
  readonly openid: { readonly name: string } | null;
  readonly mail: boolean;
}

/** The purpose of a link with a token. */
export interface AboutLink {
  readonly email?: string;
  /** The account, the inviter (null for the operator) and the role of an invitation. */
  readonly account?: string;
  readonly inviter?: string | null;
  readonly role?: Role;
}

interface Made {
  readonly id: string;
  readonly account: { readonly id: string; readonly name: string };
}

/** Keys, invitations and webhooks of a person, which outlast their sessions. */
export interface LastingAccess {
  readonly keys: readonly (Made & { readonly name: string; readonly prefix: string })[];
  readonly invitations: readonly (Made & { readonly email: string })[];
  readonly webhooks: readonly (Made & { readonly url: string; readonly mayDisable: boolean })[];
}

/** The version of the program, and the day of its IP-country data, if it has any. */
export interface About {
  readonly version: string;
  readonly commit: string;
  readonly countriesAsOf: string | null;
}

/** A person's own sign-in methods. */
export interface Profile {
  readonly user: SignedIn['user'];
  readonly hasPassword: boolean;
  readonly passkeys: readonly {
    readonly id: string;
    readonly name: string;
    readonly createdAt: string;
    readonly lastUsedAt: string | null;
  }[];
  readonly identities: readonly {
    readonly id: string;
    readonly issuer: string;
    readonly createdAt: string;
  }[];
  readonly sessions: readonly {
    readonly id: string;
    readonly device: string;
    readonly signedInAt: string;
    readonly lastUsedAt: string;
    readonly isCurrent: boolean;
  }[];
}

/** A wrong field of the body. */
class WrongField extends Error {
  readonly field: string;
  readonly told: Told;

  constructor(field: string, message: string, told: Told) {
    super(message);
    this.field = field;
    this.told = told;
  }
}

/**
 * Asks a path below `/auth/`, by POST if there is a body. The answers have the shapes that the service promises.
 * @throws Fault, WrongField
 */
export async function ask<Answer>(path: string, body?: object): Promise<Answer> {
  try {
    return await askServer<Answer>(path, body);
  } catch (error) {
    if (error instanceof Fault && mayBeOutage(error)) void away.find();
    throw error;
  }
}

async function askServer<Answer>(path: string, body?: object): Promise<Answer> {
  let response: Response;
  try {
    response = await fetch(`/auth/${path}`, {
      cache: 'no-store',
      headers: { 'Accept-Language': language, ...(body && { 'Content-Type': 'application/json' }) },
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
    });
  } catch (error) {
    throw new Fault('away', String(error), 1);
  }
  const answer = await response.json().catch(() => null);
  if (response.ok) return answer;
  const { code, message, field, rule, values } = Object(answer).error ?? {};
  if (typeof message !== 'string') throw faultOfResponse(response, response.statusText);
  if (code === 'VALIDATION' && typeof field === 'string')
    throw new WrongField(field, message, { rule, values });
  throw faultOfCode({ code, rule, values }, message, response);
}

/** Reads a path below `/auth/`, or the fault instead. The body must not change. */
export function useAsk<Answer>(
  path: string,
  body?: object,
): { data: Answer | null; fault: Fault | null; again(): void } {
  const [data, setData] = useState<Answer | null>(null);
  const [fault, setFault] = useState<Fault | null>(null);
  const again = () => {
    ask<Answer>(path, body).then(
      (answer) => {
        setData(answer);
        setFault(null);
      },
      (error: unknown) => {
        if (!(error instanceof Fault)) throw error;
        setFault(error);
      },
    );
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: the body is made anew with each render, and must not change
  useEffect(again, [path]);
  useAfterOutage(() => fault && mayBeOutage(fault) && again());
  useRetry(fault, again);
  return { data, fault, again };
}

/** Sends a form, and asks for a new sign-in where that is needed. An error of a field is the outcome. */
export async function send<Answer>(path: string, body: object): Promise<Outcome & { answer?: Answer }> {
  try {
    return { __typename: 'Done', answer: await ask<Answer>(path, body) };
  } catch (error) {
    if (error instanceof Fault && error.kind === 'stale' && (await askToSignIn())) return send(path, body);
    if (!(error instanceof WrongField)) throw error;
    const { field, message, told: refused } = error;
    // The message is a sentence that begins with the field.
    const told = message.slice(field.length + 1).replace(/\.$/, '');
    return {
      __typename: 'ValidationError',
      message,
      fields: [{ path: [field], messages: [told], ...refused }],
    };
  }
}

/** Refuses empty fields, and addresses that are none, in the words that the API has for both; null if all can be sent. */
export function refuseUnfilled(typed: Readonly<Record<string, string>>): Outcome | null {
  const fields = Object.entries(typed).flatMap(([name, text]) => {
    const path = [name];
    if (text === '') return [{ path, messages: ['may not be empty'], rule: 'BLANK' }];
    if (name !== 'email' || /^[^@\s]+@[^@\s]+$/.test(text)) return [];
    return [{ path, messages: ['must be an address such as name@example.com'], rule: 'EMAIL' }];
  });
  return fields.length === 0 ? null : { __typename: 'ValidationError', fields };
}

const passwordOnly: Methods = { password: true, passkeys: false, consoleUrl: '', openid: null, mail: false };

let methods: Promise<Methods> | undefined;

/** The sign-in methods here; by password if they cannot be found out. */
export function findMethods(): Promise<Methods> {
  methods ??= ask<Methods>('methods').catch(() => {
    methods = undefined;
    return passwordOnly;
  });
  return methods;
}

/** The address at which the provider signs somebody in, to come back to a path below /console. */
export const oidcPath = (to: string): string => `/auth/oidc?${new URLSearchParams({ to })}`;

/** Leads to the provider, to link its identity to the user, or to bring the token of a welcome or an invitation. */
export async function goToProvider(asked: { to: string; link?: boolean; token?: string }): Promise<Outcome> {
  const outcome = await send<{ url: string }>('oidc', asked);
  if (outcome.answer) location.assign(outcome.answer.url);
  return outcome;
}
