/** Which types are an `Error` or a `Node`: without it, caches drop fields that are selected on an interface. A build can generate it. */
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
    'Space',
    'Tag',
    'UtmTemplate',
    'Webhook',
  ],
};
