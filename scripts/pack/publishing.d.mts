export const PUBLISHING: { prepublishOnly: string };
