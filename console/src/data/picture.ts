/** The longest side of a picture that is sent, in pixels, and its quality: the service makes it anew. */
const MAX_SIDE = 1_200;
const QUALITY = 0.9;

/**
 * Reads an image of a file, and draws it anew as a JPEG on white, in a data URL: upright, and without what a camera adds. Photos are
 * often larger than the service takes.
 * @throws if the file is no image that the browser can read
 */
export async function readPicture(file: Blob): Promise<string> {
  const bitmap = await createImageBitmap(file);
  try {
    const scale = Math.min(1, MAX_SIDE / Math.max(bitmap.width, bitmap.height));
    const canvas = document.createElement('canvas');
    canvas.width = Math.max(1, Math.round(bitmap.width * scale));
    canvas.height = Math.max(1, Math.round(bitmap.height * scale));
    const context = canvas.getContext('2d');
    if (context === null) throw new Error('the browser draws nothing');
    context.fillStyle = '#fff';
    context.fillRect(0, 0, canvas.width, canvas.height);
    context.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
    return canvas.toDataURL('image/jpeg', QUALITY);
  } finally {
    bitmap.close();
  }
}
