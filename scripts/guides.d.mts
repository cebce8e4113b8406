interface Section {
  readonly address: string;
  readonly guide: string;
  readonly heading: string;
  readonly text: string;
}
interface Page {
  readonly name: string;
  readonly title: string;
  readonly body: string;
  readonly navigation: string;
}
export function renderGuides(
  assetFor: (path: string) => string,
  folder?: string,
): { pages: Page[]; index: Section[]; navigation: string };
