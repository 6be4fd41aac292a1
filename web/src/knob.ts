// The fields of forms: numbers with sliders, choices, texts and parameters.

import type { Json, Parameter } from "./catalogue";
import { element } from "./dom";
import { RATE, TIME, format } from "./quantity";

const STEPS = 1000;
/** No setting needs more. */
const MOST = 1e12;

export interface Numeric {
  readonly id: string;
  readonly label: string;
  readonly unit: string;
  readonly low: number;
  readonly high: number;
  /** What is allowed if it is written; the slider has only the range from `low` to `high`. */
  readonly least?: number;
  readonly most?: number;
  readonly value: number;
  readonly logarithmic?: boolean;
  readonly whole?: boolean;
  readonly set: (value: number) => void;
}

export function numericKnob({ id, label, unit, low, high, least = 0, most = MOST, value, logarithmic = false, whole = false, set }: Numeric): HTMLElement {
  const lowest = logarithmic ? Math.max(low, 1e-9) : low;
  const toStep = (number: number): number =>
    logarithmic ? (STEPS * Math.log(Math.max(number, lowest) / lowest)) / Math.log(high / lowest) : (STEPS * (number - low)) / (high - low);
  const toValue = (step: number): number => {
    const exact = logarithmic ? lowest * (high / lowest) ** (step / STEPS) : low + ((high - low) * step) / STEPS;
    if (whole) return Math.round(exact);
    // steps of a logarithmic scale are 0.5 to 1 %: two or three digits
    const digits = logarithmic ? 2 : 3;
    return Math.min(high, Math.max(low, Number(exact.toPrecision(exact < 10 ** digits ? digits : 3))));
  };
  const text = (number: number): string => String(Number(number.toPrecision(6)));
  const range = element("input", { type: "range", min: "0", max: String(STEPS), id, "aria-label": `${label}${unit === "" ? "" : `, ${unit}`}` });
  if (whole && high - low <= STEPS && !logarithmic) {
    range.min = String(low);
    range.max = String(high);
  }
  const direct = range.max !== String(STEPS) || (whole && !logarithmic);
  const input = element("input", { type: "text", inputmode: "decimal", id: `${id}-value`, "aria-label": `${label}${unit === "" ? "" : ` in ${unit}`}`, size: "6" });
  const show = (number: number): void => {
    range.value = String(direct ? number : Math.round(toStep(number)));
    range.setAttribute("aria-valuetext", `${text(number)} ${unit}`);
  };
  show(value);
  input.value = text(value);
  range.addEventListener("input", () => {
    const now = direct ? Number(range.value) : toValue(Number(range.value));
    input.value = text(now);
    range.setAttribute("aria-valuetext", `${text(now)} ${unit}`);
    set(now);
  });
  const message = messageOf(input);
  range.addEventListener("input", () => message.clear());
  input.addEventListener("change", () => {
    const now = Number(input.value.replace(",", "."));
    const isRight = input.value.trim() !== "" && now >= least && now <= most && (!whole || Number.isInteger(now));
    if (isRight) {
      message.clear();
      show(now);
      set(now);
    } else message.show(`must be ${whole ? "a whole number" : "a number"} from ${least} to ${most}${unit === "" ? "" : `, in ${unit}`}`);
  });
  return element(
    "div", { class: "knob" },
    element("label", { for: id }, label), element("span", { class: "value" }, input, element("span", { class: "quiet" }, unit)), range, message.root,
  );
}

/** The message below a field whose value is refused. */
function messageOf(input: HTMLInputElement): { readonly root: HTMLElement; clear(): void; show(allowed: string): void } {
  const root = element("p", { class: "refused", id: `${input.id}-refused`, role: "alert" });
  root.hidden = true;
  return {
    root,
    clear: () => {
      root.hidden = true;
      for (const name of ["aria-invalid", "aria-describedby"]) input.removeAttribute(name);
    },
    show: (allowed) => {
      root.hidden = false;
      input.removeAttribute("data-run");
      root.textContent = `'${input.value.slice(0, 40)}' is not allowed; ${allowed}. The run is unchanged.`;
      input.setAttribute("aria-invalid", "true");
      input.setAttribute("aria-describedby", root.id);
    },
  };
}

export function choiceKnob(
  id: string,
  label: string,
  value: string,
  options: readonly (readonly [string, string, string, string?])[],
  set: (value: string) => void,
): HTMLElement {
  const select = element("select", { id });
  let group: HTMLOptGroupElement | undefined;
  for (const [name, text, doc, part] of options) {
    const option = element("option", { value: name, title: doc }, text);
    if (part === undefined) select.append(option);
    else {
      if (group?.label !== part) select.append((group = element("optgroup", { label: part })));
      group.append(option);
    }
  }
  select.value = value;
  select.title = options.find(([name]) => name === value)?.[2] ?? "";
  select.addEventListener("change", () => set(select.value));
  return element("div", { class: "knob" }, element("label", { for: id }, label), select);
}

export function parameterKnob(id: string, parameter: Parameter, value: Json | undefined, set: (value: Json) => void): HTMLElement {
  const { name, doc, kind, choices = [] } = parameter;
  let field: HTMLElement;
  let refused: HTMLElement[] = [];
  if (kind === "flag") {
    const box = element("input", { type: "checkbox", id });
    box.checked = value === true;
    box.addEventListener("change", () => set(box.checked));
    field = box;
  } else if (kind === "choice") {
    const select = element("select", { id }, ...choices.map((choice) => element("option", { value: choice }, choice)));
    select.value = String(value);
    select.addEventListener("change", () => set(select.value));
    field = select;
  } else {
    const quantity = kind === "time" ? TIME : kind === "rate" ? RATE : undefined;
    const asText = quantity === undefined || typeof value === "string" ? String(value) : value === null ? String(parameter.or) : format(quantity, BigInt(Number(value)));
    const input = element("input", { type: "text", id, size: "7" });
    input.value = asText;
    const message = messageOf(input);
    input.addEventListener("change", () => {
      const [written, now] = [input.value.trim(), Number(input.value)];
      if (quantity === undefined && (written === "" || Number.isNaN(now))) return message.show(`must be a ${kind === "whole" ? "whole number" : "number"}`);
      message.clear();
      set(quantity === undefined ? now : written);
    });
    field = input;
    refused = [message.root];
  }
  return element("div", { class: "knob", title: doc }, element("label", { for: id }, name.replaceAll("_", "_\u200b")), field, ...refused);
}

export function textKnob(id: string, label: string, value: string, set: (text: string) => void, wide = false, list = ""): HTMLElement {
  const input = element("input", { type: "text", id, ...(list === "" ? {} : { list }), ...(wide ? { class: "wide" } : {}) });
  input.value = value;
  input.addEventListener("change", () => set(input.value.trim()));
  return element("div", { class: "knob" }, element("label", { for: id }, label), input);
}
