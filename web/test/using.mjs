// What the checks of the page share: the browser, how settings are changed, and what is found.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

import { chromium } from "playwright-core";

export const [page, questions, out] = process.argv.slice(2);
export const { plans, addresses, stories, cases, served, exercises } = JSON.parse(readFileSync(questions, "utf8"));
export const address = pathToFileURL(page).href;
export const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
/** The most time for one step, in ms: only a fault takes it. */
const PATIENCE = 120_000;
export const found = { checks: {}, console: [], requests: [] };

export const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1"],
});

export async function opened(hash = "", options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, acceptDownloads: true, ...options });
  context.setDefaultTimeout(PATIENCE);
  const tab = await context.newPage();
  tab.on("console", (message) => found.console.push(`${message.type()}: ${message.text()}`));
  tab.on("pageerror", (error) => found.console.push(`error: ${error.stack ?? error}`));
  tab.on("dialog", (dialog) => found.console.push(`dialog: ${dialog.message()}`));
  tab.on("request", (request) => {
    if (!/^(file|blob|data):/.test(request.url())) found.requests.push(request.url());
  });
  await tab.goto(address + hash);
  return tab;
}

export const drawings = (tab) => tab.evaluate(() => Number(document.body.dataset.drawn ?? 0));
export const drawnAfter = (tab, count) => tab.waitForFunction((count) => Number(document.body.dataset.drawn ?? 0) > count, count);
export const said = (tab) => tab.evaluate(() => (document.getElementById("error").hidden ? "" : document.getElementById("error").textContent));
export const numbers = (tab, run = 0) => tab.evaluate((run) => document.querySelectorAll(".numbers")[run]?.textContent, run);
export const settled = (tab) => tab.waitForFunction(() => document.querySelectorAll(".run:not(.stale) .numbers > div").length > 0);

/** Changes a setting and waits for its picture. */
export async function set(tab, id, value) {
  const before = await drawings(tab);
  await tab.evaluate(([id, value]) => {
    const field = document.getElementById(id);
    if (field.type === "checkbox") field.checked = value;
    else field.value = value;
    for (const name of ["input", "change"]) field.dispatchEvent(new Event(name, { bubbles: true }));
  }, [id, value]);
  const done = (before) => Number(document.body.dataset.drawn ?? 0) > before || !document.getElementById("error").hidden;
  await tab.waitForFunction(done, before).catch(() => expect(false, `${id} = ${value}: no picture`));
}

/** Records the result of a check. ONLY, a regular expression, selects checks by name. */
export async function check(name, act) {
  if (process.env.ONLY !== undefined && !new RegExp(process.env.ONLY).test(name)) return;
  try {
    found.checks[name] = { ok: true, detail: (await act()) ?? null };
  } catch (error) {
    found.checks[name] = { ok: false, detail: String(error.stack ?? error).slice(0, 2000) };
  }
}

export function expect(is, message) {
  if (!is) throw new Error(message);
}

export const closed = (tab) => tab.context().close();

/** Looks for faults that keep readers out. */
export async function isAccessible(tab) {
  const { violations } = await tab.evaluate(() => globalThis.axe.run());
  expect(violations.length === 0, violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html, any }) => `${html.slice(0, 120)} ${any[0]?.message ?? ""}`).slice(0, 3).join(" | ")}`).join("\n"));
}
