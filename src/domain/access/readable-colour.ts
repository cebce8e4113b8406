/** The contrast that WCAG 2.2 asks for of text: 4.5 to 1. */
const CONTRAST = 4.5;

/** The part of its light that a channel of sRGB gives, from 0 to 1. */
function linear(channel: number): number {
  const part = channel / 255;
  return part <= 0.040_45 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
}

type Channels = readonly [red: number, green: number, blue: number];

/** The contrast of a colour against white, as WCAG 2.2 has it. */
function contrastOf([red, green, blue]: Channels): number {
  const light = 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
  return 1.05 / (light + 0.05);
}

const hex = (channel: number) => channel.toString(16).padStart(2, '0');

/** Darkens a colour `#rrggbb`, in steps of a hundredth, until white text on it can be read. */
export function readableColour(colour: string): string {
  const number = Number.parseInt(colour.slice(1), 16);
  const given: Channels = [number >> 16, (number >> 8) & 255, number & 255];
  let darker = given;
  for (let part = 100; contrastOf(darker) < CONTRAST; part--) {
    const [red, green, blue] = given;
    darker = [
      Math.floor((red * part) / 100),
      Math.floor((green * part) / 100),
      Math.floor((blue * part) / 100),
    ];
  }
  return `#${darker.map(hex).join('')}`;
}
