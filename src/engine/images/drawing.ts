/** Decoded pixels: four bytes each, red, green, blue and opacity, in lines from the top. */
export interface Picture {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8ClampedArray;
}

/** The size within `max` by `max`, with the same proportions; never larger than it is. */
export function sizeWithin({ width, height }: Pick<Picture, 'width' | 'height'>, max: number) {
  const scale = Math.min(1, max / Math.max(width, height));
  const side = (length: number) => Math.max(1, Math.round(length * scale));
  return { width: side(width), height: side(height) };
}

/**
 * Makes a picture smaller: each new pixel is the mean of those that it covers, by their opacity.
 * @param target at most the picture's own size
 */
export function scaleDown(picture: Picture, target: Pick<Picture, 'width' | 'height'>): Picture {
  const { width, height, data } = picture;
  if (target.width === width && target.height === height) return picture;
  const scaled = new Uint8ClampedArray(target.width * target.height * 4);
  const columns = edges(width, target.width);
  const rows = edges(height, target.height);
  for (let y = 0; y < target.height; y++) {
    for (let x = 0; x < target.width; x++) {
      let [red, green, blue, opacity, count] = [0, 0, 0, 0, 0];
      const [left, right] = [columns[x] ?? 0, Math.max(columns[x + 1] ?? 0, (columns[x] ?? 0) + 1)];
      const [top, bottom] = [rows[y] ?? 0, Math.max(rows[y + 1] ?? 0, (rows[y] ?? 0) + 1)];
      for (let row = top; row < bottom; row++) {
        for (let at = (row * width + left) * 4; at < (row * width + right) * 4; at += 4) {
          const alpha = data[at + 3] ?? 0;
          red += (data[at] ?? 0) * alpha;
          green += (data[at + 1] ?? 0) * alpha;
          blue += (data[at + 2] ?? 0) * alpha;
          opacity += alpha;
          count++;
        }
      }
      const to = (y * target.width + x) * 4;
      if (opacity > 0) {
        scaled[to] = red / opacity;
        scaled[to + 1] = green / opacity;
        scaled[to + 2] = blue / opacity;
        scaled[to + 3] = opacity / count;
      }
    }
  }
  return { ...target, data: scaled };
}

/** The first old line of each new one, and the end of the last. */
function edges(from: number, to: number): number[] {
  return Array.from({ length: to + 1 }, (_, index) => Math.floor((index * from) / to));
}

/** Turns and mirrors a picture as its orientation says, so that it is upright. */
export function makeUpright(picture: Picture, orientation: number): Picture {
  if (orientation === 1) return picture;
  const { width, height, data } = picture;
  const isTurned = orientation >= 5;
  const [newWidth, newHeight] = isTurned ? [height, width] : [width, height];
  const [from, to] = [
    new Uint32Array(data.buffer, data.byteOffset, width * height),
    new Uint32Array(width * height),
  ];
  for (let y = 0; y < newHeight; y++) {
    for (let x = 0; x < newWidth; x++) {
      const [column, row] = storedAt(orientation, x, y, width, height);
      to[y * newWidth + x] = from[row * width + column] ?? 0;
    }
  }
  return { width: newWidth, height: newHeight, data: new Uint8ClampedArray(to.buffer) };
}

/** The stored column and row of a place of the upright picture. */
function storedAt(
  orientation: number,
  x: number,
  y: number,
  width: number,
  height: number,
): [number, number] {
  const [right, bottom] = [width - 1, height - 1];
  switch (orientation) {
    case 2:
      return [right - x, y];
    case 3:
      return [right - x, bottom - y];
    case 4:
      return [x, bottom - y];
    case 5:
      return [y, x];
    case 6:
      return [y, bottom - x];
    case 7:
      return [right - y, bottom - x];
    case 8:
      return [right - y, x];
    default:
      return [x, y];
  }
}

/** Puts white behind a picture. */
export function onWhite({ width, height, data }: Picture): Picture {
  const opaque = new Uint8ClampedArray(data.length);
  for (let at = 0; at < data.length; at += 4) {
    const alpha = (data[at + 3] ?? 0) / 255;
    for (let channel = at; channel < at + 3; channel++)
      opaque[channel] = (data[channel] ?? 0) * alpha + 255 * (1 - alpha);
    opaque[at + 3] = 255;
  }
  return { width, height, data: opaque };
}
