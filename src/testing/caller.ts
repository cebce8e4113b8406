import assert from 'node:assert/strict';

export interface RestAnswer {
  status: number;
  body: unknown;
  headers: Headers;
}

export interface GraphQLAnswer {
  status: number;
  /** The query determines the type; a test asserts all of it, or states the type. */
  data: unknown;
  errors: { message: string; path?: string[]; extensions: Record<string, unknown> }[] | undefined;
  headers: Headers;
}

/** The fields of v1's links that tests use. */
export interface RestLink extends Record<string, unknown> {
  id: number;
  alias: string;
  title: string | null;
}

type FormInput = Record<string, string | number> | [string, string][] | string;

/** A client of the server with one key. */
export class Caller {
  readonly #origin: string;
  readonly key: string;

  constructor(origin: string, key: string) {
    this.#origin = origin;
    this.key = key;
  }

  fetch(path: string, init: RequestInit = {}): Promise<Response> {
    return fetch(`${this.#origin}${path}`, {
      ...init,
      headers: { Authorization: `Bearer ${this.key}`, ...init.headers },
    });
  }

  /** Calls v1 with a form, as its clients do; `path` is below /api/v1. */
  async rest(method: string, path: string, form?: FormInput): Promise<RestAnswer> {
    const fields = typeof form === 'object' && !Array.isArray(form) ? Object.entries(form) : form;
    const body = form === undefined ? undefined : new URLSearchParams(fields as string | [string, string][]);
    const response = await this.fetch(`/api/v1${path}`, { method, body });
    const text = await response.text();
    return {
      status: response.status,
      body: text === '' ? null : JSON.parse(text),
      headers: response.headers,
    };
  }

  async graphql(query: string, variables: object = {}): Promise<GraphQLAnswer> {
    const response = await this.fetch('/graphql', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ query, variables }),
    });
    const { data, errors } = (await response.json()) as GraphQLAnswer;
    return { status: response.status, data, errors, headers: response.headers };
  }

  /** The data of an operation that must not fail; a failure shows the query, the answer and the request's id. */
  async data<Data = unknown>(query: string, variables: object = {}): Promise<Data> {
    const answer = await this.graphql(query, variables);
    const id = answer.headers.get('X-Request-Id');
    assert.ok(!answer.errors, `${query}\n${JSON.stringify(answer)}\nrequest ${id}`);
    return answer.data as Data; // The caller says what its query asks for.
  }

  /** Creates a link over v1 and returns it in v1's form. */
  async link(form: Record<string, string | number> = {}): Promise<RestLink> {
    const { status, body } = await this.rest('POST', '/links', { url: 'https://example.com/', ...form });
    assert.equal(status, 201, JSON.stringify(body));
    return (body as { data: RestLink }).data;
  }

  async domain(name: string): Promise<number> {
    const { createDomain } = await this.data<{ createDomain: { id: string } }>(
      'mutation ($name: String!) { createDomain(input: { name: $name }) { ... on Domain { id } } }',
      { name },
    );
    return Number(createDomain.id);
  }

  async pixel(name = 'Ads', type = 'GOOGLE_ADS', value = 'AW-1'): Promise<number> {
    const { createPixel } = await this.data<{ createPixel: { id: string } }>(
      'mutation ($input: CreatePixelInput!) { createPixel(input: $input) { ... on Pixel { id } } }',
      { input: { name, type, value } },
    );
    return Number(createPixel.id);
  }

  async tag(name: string, color = 1): Promise<number> {
    const { createTag } = await this.data<{ createTag: { id: string } }>(
      'mutation ($input: CreateTagInput!) { createTag(input: $input) { ... on Tag { id } } }',
      { input: { name, color } },
    );
    return Number(createTag.id);
  }

  async space(name: string, fields: Record<string, string | number> = {}): Promise<number> {
    const { status, body } = await this.rest('POST', '/spaces', { name, ...fields });
    assert.equal(status, 201, JSON.stringify(body));
    return (body as { data: { id: number } }).data.id;
  }
}
