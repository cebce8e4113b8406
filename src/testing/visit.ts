import { once } from 'node:events';
import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';

/** The user agent of a browser. */
export const BROWSER =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/143.0.0.0 Safari/537.36';

export interface Visited {
  status: number;
  location: string | undefined;
  headers: IncomingHttpHeaders;
  body: string;
}

export interface VisitOptions {
  method?: string;
  headers?: Record<string, string>;
  /** A form to post. */
  form?: Record<string, string>;
}

/** Opens a path as a visitor of `s.example`, by default with a browser's user agent; does not follow redirects. */
export async function visit(
  origin: string,
  path: string,
  { method, headers = {}, form }: VisitOptions = {},
): Promise<Visited> {
  const body = form && new URLSearchParams(form).toString();
  const { hostname, port } = new URL(origin);
  const sent = request({
    hostname,
    port,
    // Sent literally: no URL parser may normalize it.
    path,
    method: method ?? (form ? 'POST' : 'GET'),
    headers: {
      Host: 's.example',
      'User-Agent': BROWSER,
      ...(body !== undefined && {
        'Content-Type': 'application/x-www-form-urlencoded',
        'Content-Length': String(Buffer.byteLength(body)),
      }),
      ...headers,
    },
  });
  sent.end(body);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  let text = '';
  for await (const chunk of response.setEncoding('utf8')) text += chunk;
  return {
    status: response.statusCode ?? 0,
    location: response.headers.location,
    headers: response.headers,
    body: text,
  };
}
