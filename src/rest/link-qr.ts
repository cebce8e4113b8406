import { z } from 'zod';
import { withDefault } from '../domain/input.ts';
import { qrCodeInput, qrCodePng, qrCodeSvg } from '../domain/link/qr-code.ts';
import { RestLinkQrDocument } from '../generated/documents.ts';
import { type Answer, notFound } from './answer.ts';
import { choice, type Fields, integer } from './form/field.ts';
import { route } from './route.ts';

const fields = {
  size: { ...integer('size'), about: 'The width and height in pixels.' },
  ecc: {
    ...choice('errorCorrection', { L: 'L', M: 'M', Q: 'Q', H: 'H' }),
    decodesEmpty: false,
    about: 'How much of the code may be damaged or covered: L 7 percent, M 15, Q 25, H 30.',
  },
  margin: { ...integer('margin'), about: 'The margin in modules, the dots of the code. Readers expect 4.' },
  format: {
    ...choice('format', { svg: 'svg', png: 'png' }),
    decodesEmpty: false,
    about: 'The type of the image.',
  },
} satisfies Fields;

const qrInput = qrCodeInput.extend({ format: withDefault(z.enum(['svg', 'png']), 'svg') });

/** The short URL as an image. */
function encodeQrCode(shortUrl: string, unparsed: unknown): Answer {
  const { format, ...input } = qrInput.parse(unparsed);
  const content =
    format === 'png'
      ? { type: 'image/png', data: qrCodePng(shortUrl, input) }
      : { type: 'image/svg+xml', data: qrCodeSvg(shortUrl, input) };
  return { status: 200, body: {}, content };
}

export const qrRoute = route({
  methods: ['GET'],
  path: '/links/:id/qr',
  fields,
  schema: qrInput,
  document: RestLinkQrDocument,
  variables: (_input, id) => ({ id }),
  encode: ({ link }, _url, input) => (link ? encodeQrCode(link.shortUrl, input) : notFound),
  file: {
    operationId: 'showLinkQr',
    summary: 'Show the QR code of a link',
    description: 'Shows the short URL as an image, which cameras can read.',
    types: ['image/svg+xml', 'image/png'],
  },
});
