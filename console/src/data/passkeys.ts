import {
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
  startAuthentication,
  startRegistration,
} from '@simplewebauthn/browser';
import { texts } from '../texts.ts';
import { ask, type SignedIn, send } from './auth.ts';
import { Fault } from './faults.ts';
import type { Outcome } from './refusals.ts';

/** Lets the browser ask for a passkey. @throws Fault if nobody gives one, or the browser or the device cannot */
async function given<Answer>(asked: Promise<Answer>): Promise<Answer> {
  try {
    return await asked;
  } catch (error) {
    const { name = '', message = '' } = error instanceof Error ? error : {};
    const told = name === 'InvalidStateError' ? texts.profile.hasPasskey : message;
    throw new Fault(
      'refused',
      ['NotAllowedError', 'AbortError'].includes(name) ? texts.signIn.noPasskey : told,
    );
  }
}

export async function signInByPasskey(): Promise<SignedIn> {
  const optionsJSON = await ask<PublicKeyCredentialRequestOptionsJSON>('passkey/sign-in-options', {});
  return ask('passkey/sign-in', { response: await given(startAuthentication({ optionsJSON })) });
}

/** Makes a passkey on this device. */
export async function addPasskey(name: string): Promise<Outcome> {
  const options = await send<PublicKeyCredentialCreationOptionsJSON>('passkey/registration-options', {});
  if (!options.answer) return options;
  const response = await given(startRegistration({ optionsJSON: options.answer }));
  return send('passkey/register', { name, response });
}
