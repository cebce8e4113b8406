/** The types that are an `Error` or a `Node`. Without it, caches drop fields that are selected on an interface. */
export const possibleTypes = {
  Error: ['ConflictError', 'InUseError', 'NotFoundError', 'ValidationError'],
  Node: [
    'Account',
    'ApiKey',
    'Change',
    'Domain',
    'Invitation',
    'Link',
    'Member',
    'Pixel',
    'SavedOperation',
    'SavedView',
    'Space',
    'Tag',
    'UtmTemplate',
    'Webhook',
  ],
};
