/** Why the work for a client ends early: nobody waits for its result. */
export class ClientGone extends Error {}
