// A drawing context that writes SVG: the part of a canvas's context that the page uses. Texts remain texts.

const escaped = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
const number = (value: number): string => String(Number(value.toFixed(2)));

/** What `save` keeps. */
interface Pen {
  fillStyle: string;
  strokeStyle: string;
  lineWidth: number;
  font: string;
  textAlign: string;
  globalAlpha: number;
  dash: readonly number[];
  /** Groups that `restore` ends. */
  open: number;
}

export class SvgContext {
  private readonly parts: string[] = [];
  private readonly kept: Pen[] = [];
  private pen: Pen = { fillStyle: "#000", strokeStyle: "#000", lineWidth: 1, font: "10px sans-serif", textAlign: "left", globalAlpha: 1, dash: [], open: 0 };
  private path: string[] = [];
  private clips = 0;
  private readonly ruler = document.createElement("canvas").getContext("2d");

  constructor(
    readonly width: number,
    readonly height: number,
  ) {}

  /** For code that draws on a canvas; it uses only what is here. */
  get canvas2d(): CanvasRenderingContext2D {
    return this as unknown as CanvasRenderingContext2D;
  }

  done(title: string): string {
    const head = `<svg xmlns="http://www.w3.org/2000/svg" width="${number(this.width)}" height="${number(this.height)}" viewBox="0 0 ${number(this.width)} ${number(this.height)}">`;
    return `${head}\n<title>${escaped(title)}</title>\n${this.parts.join("\n")}\n</svg>\n`;
  }

  set fillStyle(value: string) { this.pen.fillStyle = value; }
  set strokeStyle(value: string) { this.pen.strokeStyle = value; }
  set lineWidth(value: number) { this.pen.lineWidth = value; }
  set font(value: string) { this.pen.font = value; }
  set textAlign(value: string) { this.pen.textAlign = value; }
  set globalAlpha(value: number) { this.pen.globalAlpha = value; }
  setLineDash(dash: readonly number[]): void { this.pen.dash = dash; }

  save(): void {
    this.kept.push(this.pen);
    this.pen = { ...this.pen, open: 0 };
  }

  restore(): void {
    for (let count = this.pen.open; count > 0; count -= 1) this.parts.push("</g>");
    this.pen = this.kept.pop() ?? this.pen;
  }

  beginPath(): void { this.path = []; }
  moveTo(x: number, y: number): void { this.path.push(`M${number(x)} ${number(y)}`); }
  lineTo(x: number, y: number): void { this.path.push(`${this.path.length === 0 ? "M" : "L"}${number(x)} ${number(y)}`); }
  rect(x: number, y: number, width: number, height: number): void { this.path.push(`M${number(x)} ${number(y)}h${number(width)}v${number(height)}h${number(-width)}z`); }
  arc(x: number, y: number, radius: number): void { this.ellipse(x, y, radius, radius); }

  /** A whole ellipse: the page draws no parts of them. */
  ellipse(x: number, y: number, rx: number, ry: number): void {
    const half = `a${number(rx)} ${number(ry)} 0 1 0 `;
    this.path.push(`M${number(x - rx)} ${number(y)}${half}${number(2 * rx)} 0${half}${number(-2 * rx)} 0`);
  }

  stroke(): void { this.parts.push(`<path d="${this.path.join("")}" fill="none" ${this.stroked()}/>`); }
  fill(): void { this.parts.push(`<path d="${this.path.join("")}" ${this.filled()}/>`); }
  fillRect(x: number, y: number, width: number, height: number): void { this.parts.push(`<rect ${place(x, y, width, height)} ${this.filled()}/>`); }
  strokeRect(x: number, y: number, width: number, height: number): void { this.parts.push(`<rect ${place(x, y, width, height)} fill="none" ${this.stroked()}/>`); }

  fillText(text: string, x: number, y: number): void {
    if (text === "") return;
    const { font, textAlign } = this.pen;
    const anchor = { center: "middle", right: "end" }[textAlign] ?? "start";
    this.parts.push(`<text x="${number(x)}" y="${number(y)}" text-anchor="${anchor}" style="font:${escaped(font)}" ${this.filled()}>${escaped(text)}</text>`);
  }

  measureText(text: string): { width: number } {
    if (this.ruler === null) return { width: 6 * text.length };
    this.ruler.font = this.pen.font;
    return this.ruler.measureText(text);
  }

  clip(): void {
    this.clips += 1;
    this.parts.push(`<clipPath id="c${this.clips}"><path d="${this.path.join("")}"/></clipPath>`);
    this.group(`clip-path="url(#c${this.clips})"`);
  }

  translate(x: number, y: number): void { this.group(`transform="translate(${number(x)} ${number(y)})"`); }
  scale(x: number, y: number): void { this.group(`transform="scale(${number(x)} ${number(y)})"`); }
  rotate(angle: number): void { this.group(`transform="rotate(${number((angle * 180) / Math.PI)})"`); }

  private group(attributes: string): void {
    this.parts.push(`<g ${attributes}>`);
    this.pen.open += 1;
  }

  private alpha(): string { return this.pen.globalAlpha === 1 ? "" : ` opacity="${number(this.pen.globalAlpha)}"`; }
  private filled(): string { return `fill="${escaped(this.pen.fillStyle)}"${this.alpha()}`; }

  private stroked(): string {
    const { strokeStyle, lineWidth, dash } = this.pen;
    return `stroke="${escaped(strokeStyle)}" stroke-width="${number(lineWidth)}"${dash.length === 0 ? "" : ` stroke-dasharray="${dash.map(number).join(" ")}"`}${this.alpha()}`;
  }
}

const place = (x: number, y: number, width: number, height: number): string => `x="${number(x)}" y="${number(y)}" width="${number(width)}" height="${number(height)}"`;
