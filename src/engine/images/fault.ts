/** The reasons for which an image is refused. */
export const imageFaults = [
  'FORMAT',
  'BROKEN',
  'ANIMATED',
  'TRAILING',
  'TOO_MANY_PIXELS',
  'TOO_MUCH_WORK',
  'TOO_LARGE',
] as const;

export type ImageFault = (typeof imageFaults)[number];

/** The refusal of an image. */
export class ImageRefused extends Error {
  readonly fault: ImageFault;

  constructor(fault: ImageFault) {
    super(`the image is refused: ${fault}`);
    this.fault = fault;
  }
}
