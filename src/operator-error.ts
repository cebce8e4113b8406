/** What stands in the way of something that the operator asked for, in words for the operator; nothing was changed. */
export class OperatorError extends Error {}
