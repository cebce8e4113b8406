export const appTexts = {
  title: (name: string) => `Apps of ${name}`,
  lead: 'Apps that open the links of this host on phones. One app a line.',
  apple: 'iOS',
  appleHint: 'Team id, bundle id, and paths: ABCDE12345.com.example.app /a/*, NOT /b/*. Without paths: all.',
  android: 'Android',
  androidHint: 'Package, and SHA-256 fingerprints: com.example.app 1F:2E:…',
  line: (at: number, text: string) => `Line ${at}: ${text}`,
};

export type AppTexts = typeof appTexts;
