import { choiceSchema } from '../../engine/rules/input.ts';

/** Audiences of a link's statistics. Visits depend on the link's password instead. */
export const linkPrivacies = {
  PUBLIC: 'Everybody.',
  PRIVATE: 'The account of the link.',
  PASSWORD: 'Whoever knows the privacy password.',
} as const;

export type LinkPrivacy = keyof typeof linkPrivacies;

export const linkPrivacy = choiceSchema(linkPrivacies).meta({
  title: 'LinkPrivacy',
  description: 'Who may see the statistics.',
});

const { PASSWORD: _, ...withoutPassword } = linkPrivacies;

/** The privacy of links that get none of their own: a password would have to be one for all. */
export const defaultPrivacy = choiceSchema(withoutPassword).meta({ title: 'LinkPrivacy' });
export type DefaultPrivacy = keyof typeof withoutPassword;
