import { linkPrivacies } from '../../domain/link/privacy.ts';
import { enumType } from '../domain-types.ts';

export const LinkPrivacy = enumType(
  'LinkPrivacy',
  'Who may see the statistics of a link. Visits do not depend on it: see the password.',
  linkPrivacies,
);
