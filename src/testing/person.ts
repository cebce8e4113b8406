/** The headers of a page of the service itself. */
const OWN_PAGE = { 'Sec-Fetch-Site': 'same-origin' };

type Json = Record<string, unknown>;

export interface Answered {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Json & { error?: { code: string; message: string; field?: string } };
}

/** A person with a browser, which keeps the cookies of the service. */
export class Person {
  readonly #server: { readonly origin: string; readonly host?: string };
  /** The cookie of the session. */
  cookie: string | null = null;
  /** The other ones, by name. */
  readonly cookies = new Map<string, string>();

  /** @param server the address of the service, and the host by which browsers know it; `s.example` by default */
  constructor(server: { readonly origin: string; readonly host?: string }) {
    this.#server = server;
  }

  async fetch(path: string, init: RequestInit = {}): Promise<Response> {
    const { origin, host = 's.example' } = this.#server;
    const headers = new Headers({ ...OWN_PAGE, 'X-Forwarded-Host': host });
    const cookies = [...(this.cookie === null ? [] : [this.cookie]), ...this.cookies.values()];
    if (cookies.length > 0) headers.set('Cookie', cookies.join('; '));
    for (const [name, value] of new Headers(init.headers)) headers.set(name, value);
    const response = await fetch(`${origin}${path}`, { redirect: 'manual', ...init, headers });
    for (const set of response.headers.getSetCookie()) {
      const [pair = ''] = set.split(';', 1);
      const [name = '', value] = pair.split('=', 2);
      if (/^(__Host-)?linkspace$/.test(name)) this.cookie = value === '' ? null : pair;
      else if (value === '') this.cookies.delete(name);
      else this.cookies.set(name, pair);
    }
    return response;
  }

  /** Sends a request to a path below `/auth/`. */
  async auth(path: string, body?: Json, headers: Record<string, string> = {}): Promise<Answered> {
    const response = await this.fetch(`/auth/${path}`, {
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
      headers: { ...(body && { 'Content-Type': 'application/json' }), ...headers },
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: text === '' ? {} : JSON.parse(text) };
  }

  async graphql(query: string, variables: Json = {}, headers: Record<string, string> = {}) {
    const response = await this.fetch('/graphql', {
      method: 'POST',
      body: JSON.stringify({ query, variables }),
      headers: { 'Content-Type': 'application/json', ...headers },
    });
    type Result = { data?: Json | null; errors?: { message: string; extensions: { code: string } }[] };
    return { status: response.status, ...((await response.json()) as Result) };
  }

  /** The data of an operation without errors. */
  async data<Data>(query: string, variables: Json = {}, headers: Record<string, string> = {}): Promise<Data> {
    const { data, errors } = await this.graphql(query, variables, headers);
    if (errors) throw new Error(JSON.stringify(errors));
    return data as Data;
  }
}
