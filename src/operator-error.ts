/** Why a request of the operator failed, with a message for the operator; nothing was changed. */
export class OperatorError extends Error {}
