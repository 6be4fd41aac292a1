// Small helpers for elements and numbers.

export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Readonly<Record<string, string>> = {},
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes)) made.setAttribute(attribute, value);
  made.append(...children);
  return made;
}

export function byId<Kind extends HTMLElement = HTMLElement>(id: string): Kind {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`the page has no element ${id}`);
  return found as Kind;
}

export function colour(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

const GROUP_COLOURS = 8;
export const groupColour = (group: number): string => `g${group % GROUP_COLOURS}`;

export function faded(hex: string, alpha: number): string {
  const [r, g, b] = [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
  return `rgb(${r} ${g} ${b} / ${alpha})`;
}

/** A number with three significant digits, and no more digits than it needs. */
export function shown(value: number | null | undefined, digits = 3): string {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 10 ** digits || Number.isInteger(value)) return Math.round(value).toLocaleString("en").replaceAll(",", "\u2009");
  if (size < 1e-4) return value.toExponential(1);
  return String(Number(value.toPrecision(digits)));
}

/** A rate in bit/s with its unit. */
export function rateShown(rate: number | null | undefined): [string, string] {
  if (rate === null || rate === undefined) return ["–", ""];
  for (const [size, unit] of [[1e9, "Gbit/s"], [1e6, "Mbit/s"], [1e3, "kbit/s"]] as const) {
    if (rate >= size) return [shown(rate / size), unit];
  }
  return [shown(rate), "bit/s"];
}

/** A time in seconds with its unit. */
export function timeShown(time: number | null | undefined): [string, string] {
  if (time === null || time === undefined) return ["–", ""];
  if (time === 0) return ["0", "s"];
  for (const [size, unit] of [[1, "s"], [1e-3, "ms"]] as const) {
    if (Math.abs(time) >= size) return [shown(time / size), unit];
  }
  return [shown(time / 1e-6), "µs"];
}
