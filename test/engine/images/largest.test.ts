// It takes half a minute of the processor: it draws, packs and reads the largest pictures in each format.
import { expect, test } from 'vitest';
import { MAX_PIXELS, readImage } from '../../../src/engine/images/header.ts';
import { type ImageForm, ImageWork } from '../../../src/engine/images/work.ts';
import { jpegOf, pngOf, webpOf } from '../../support/images.ts';

/** Without a limit of time: how fast this machine is does not matter. */
const work = new ImageWork({ within: (answered) => answered });
const JPEG: ImageForm = { format: 'jpeg', maxSide: 1200, maxBytes: 100_000 };

test('an image with as many pixels as are allowed is made anew in the memory of a codec', async () => {
  const side = Math.sqrt(MAX_PIXELS);
  const data = new Uint8ClampedArray(MAX_PIXELS * 4).fill(255);
  const picture: ImageData = { width: side, height: side, data, colorSpace: 'srgb' };
  for (const one of [pngOf(picture), await jpegOf(picture), await webpOf(picture, true)])
    expect(await work.make('one', readImage(one), JPEG)).toMatchObject({ width: 1200, height: 1200 });
});
