// Checks of what a class uses: exercises, Undo and Reset, messages, timeouts, files to send, print.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

import { address, axe, check, closed, drawings, drawnAfter, exercises, expect, isAccessible, numbers, opened, out, said, set, settled } from "./using.mjs";

const reply = (tab) => tab.textContent("#exercise .reply");
const isEnabled = async (tab, id) => (await tab.getAttribute(`#${id}`, "aria-disabled")) === "false";

/** Gives an answer and returns the reply. */
async function answered(tab, exercise, answer) {
  if (exercise.kind === "number") await tab.fill("#answer", String(answer));
  if (exercise.kind === "choice") await tab.check(`#exercise input[value='${exercise.options.findIndex(({ says }) => says === answer)}']`);
  await tab.click("#exercise [type=submit]");
  await tab.waitForFunction(() => /right|wrong/.test(document.querySelector("#exercise .reply").className));
  const text = await reply(tab);
  await tab.evaluate(() => (document.querySelector("#exercise .reply").className = "reply"));
  return text;
}

/** Opens an exercise with the scenario of an answer, as a shared link does. */
async function withAnswer(exercise, hash) {
  const tab = await opened(hash);
  await drawnAfter(tab, 0);
  await settled(tab);
  return { tab, text: await answered(tab, exercise) };
}

async function checkExercises() {
  for (const exercise of exercises) {
    await check(`exercise ${exercise.number}`, async () => {
      const tab = await opened(`?exercise=${exercise.number}`);
      await drawnAfter(tab, 0);
      await settled(tab);
      expect((await said(tab)) === "", await said(tab));
      expect((await tab.textContent("#words h2")) === `Exercise ${exercise.number}: ${exercise.title}`, "another exercise");
      const replies = { wrong: [] };
      if (exercise.kind === "run") {
        replies.wrong.push(await answered(tab, exercise));
        for (const hash of exercise.links.wrong) {
          const other = await withAnswer(exercise, hash);
          replies.wrong.push(other.text);
          await closed(other.tab);
        }
        const other = await withAnswer(exercise, exercise.links.right);
        replies.right = other.text;
        await closed(other.tab);
      } else {
        for (const answer of exercise.wrong) replies.wrong.push(await answered(tab, exercise, answer));
        replies.right = await answered(tab, exercise, exercise.right);
      }
      expect(replies.right.startsWith("Right. "), replies.right);
      expect(replies.right.includes(exercise.finds), replies.right);
      for (const text of replies.wrong) expect(text.startsWith("Not yet. ") && text.length > 30, text);
      await closed(tab);
      return replies;
    });
  }
}

export async function checkLessons() {
  await checkExercises();

  await check("undo and reset", async () => {
    const tab = await opened("#story=sawtooth");
    await drawnAfter(tab, 0);
    const base = await numbers(tab);
    expect(!(await isEnabled(tab, "undo")) && !(await isEnabled(tab, "reset")), "there is nothing to undo");
    await set(tab, "buffer", "200");
    const first = await numbers(tab);
    await tab.waitForTimeout(1100);
    await set(tab, "rate", "600");
    for (const [id, expected] of [["undo", first], ["undo", base]]) {
      const before = await drawings(tab);
      await tab.click(`#${id}`);
      await drawnAfter(tab, before);
      expect((await numbers(tab)) === expected, `${id}: another run`);
    }
    expect((await tab.inputValue("#buffer-value")) === "25", "the setting stays");
    await set(tab, "buffer", "300");
    const before = await drawings(tab);
    await tab.click("#reset");
    await drawnAfter(tab, before);
    expect((await numbers(tab)) === base, "reset: another run");
    await closed(tab);
  });

  await check("a refused text is undone alone", async () => {
    const tab = await opened("#story=sawtooth");
    await drawnAfter(tab, 0);
    await set(tab, "buffer", "300");
    const buffer = await tab.inputValue("#buffer-value");
    await tab.fill("#rate-value", "abc");
    await tab.press("#rate-value", "Enter");
    await tab.click("#undo");
    const values = [await tab.inputValue("#rate-value"), await tab.inputValue("#buffer-value")];
    expect(values.join() === `5,${buffer}`, `the first undo leaves ${values.join()}`);
    const before = await drawings(tab);
    await tab.click("#undo");
    await drawnAfter(tab, before);
    expect((await tab.inputValue("#buffer-value")) === "25", "the second undo does not undo the change");
    await closed(tab);
  });

  await check("an exercise hides the run that has its answer", async () => {
    const tab = await opened("?exercise=1");
    await drawnAfter(tab, 0);
    expect(!(await tab.isVisible(".run")), "the run is visible beside the question");
    const withRun = () => tab.evaluate(() => ["table", "figure", "vector"].map((id) => document.getElementById(id).disabled));
    expect((await withRun()).every((each) => each), "a download has the answer");
    await tab.click("text=Show the run");
    expect(await tab.isVisible(".run"), "the run stays hidden");
    expect((await withRun()).every((each) => !each), "the downloads stay disabled");
    await closed(tab);
    const next = await opened("?exercise=9");
    await drawnAfter(next, 0);
    expect(await next.isVisible("#g0-tcp-min_rto"), "the option that is asked for is not open");
    expect((await next.textContent(".run dl")).includes("95 % completion"), "no completion times");
    await closed(next);
  });

  await check("a wrong choice does not show the right one", async () => {
    const exercise = exercises[9];
    const tab = await opened(`?exercise=${exercise.number}`);
    await drawnAfter(tab, 0);
    const text = await answered(tab, exercise, exercise.wrong[0]);
    expect(text.startsWith(`Not yet. ${exercise.wrong[0]}: `), text);
    for (const other of exercise.options.filter(({ says }) => says !== exercise.wrong[0])) expect(!text.includes(`${other.says}: `), text);
    const right = await answered(tab, exercise, exercise.right);
    for (const { says } of exercise.options) expect(right.includes(`${says}: `), right);
    await closed(tab);
    return text;
  });

  await check("the keyboard focus stays", async () => {
    const tab = await opened("?exercise=1");
    await drawnAfter(tab, 0);
    await answered(tab, exercises[0], exercises[0].right);
    await tab.focus("text=Next exercise");
    await tab.keyboard.press("Enter");
    await drawnAfter(tab, 1);
    expect((await tab.evaluate(() => document.activeElement?.textContent)).startsWith("Exercise 2"), "Next exercise loses the focus");
    await set(tab, "buffer", "200");
    await tab.focus("#undo");
    await tab.keyboard.press("Enter");
    expect((await tab.evaluate(() => document.activeElement?.id)) === "undo", "Undo loses the focus");
    await closed(tab);
  });

  await check("a value that the engine refuses is marked", async () => {
    const tab = await opened("#story=sawtooth");
    await drawnAfter(tab, 0);
    for (const id of ["from-value", "rate-value"]) expect((await tab.getAttribute(`#${id}`, "aria-invalid")) === null, "it is marked");
    await tab.fill("#from-value", "99");
    await tab.press("#from-value", "Enter");
    await tab.waitForFunction(() => !document.getElementById("error").hidden);
    expect((await said(tab)).startsWith("Measure from (measure.from): '99 s' is not allowed; "), await said(tab));
    expect((await tab.getAttribute("#from-value", "aria-invalid")) === "true", "it is not marked");
    const before = await drawings(tab);
    await tab.click("#undo");
    await drawnAfter(tab, before);
    expect((await tab.getAttribute("#from-value", "aria-invalid")) === null, "it stays marked");
    await closed(tab);
  });

  await check("a longer run measures from the same time again", async () => {
    const tab = await opened("#story=ack_clock");
    await drawnAfter(tab, 0);
    const before = [await tab.inputValue("#from-value"), await numbers(tab)];
    for (const seconds of ["4", "30"]) {
      const drawn = await drawings(tab);
      await tab.fill("#duration-value", seconds);
      await tab.press("#duration-value", "Enter");
      await drawnAfter(tab, drawn);
    }
    expect([await tab.inputValue("#from-value"), await numbers(tab)].join() === before.join(), "measure.from is lost");
    await closed(tab);
  });

  await check("cancelled runs can be run again", async () => {
    const tab = await opened("#story=crossover");
    await tab.click("#cancel");
    expect(await tab.isVisible("#again"), "nothing runs them again");
    expect((await tab.locator("progress").count()) === 0 && !(await tab.isVisible("#cancel")), "the progress stays");
    await tab.click("#again");
    await drawnAfter(tab, 1);
    expect((await numbers(tab, 0)).length > 100 && (await numbers(tab, 1)).length > 100, "a run stays blank");
    await closed(tab);
  });

  await check("legends of picture files are whole, and runs have their names", async () => {
    for (const [story, last, names] of [["bbr_beside_cubic", 0, ["probe rtt"]], ["red_weight", 1, ["A", "B"]]]) {
      const tab = await opened(`#story=${story}`);
      await drawnAfter(tab, last);
      await tab.click("#downloads summary");
      const [download] = await Promise.all([tab.waitForEvent("download"), tab.click("#vector")]);
      const file = join(out, `${story}.svg`);
      await download.saveAs(file);
      const text = readFileSync(file, "utf8");
      const width = Number(/width="([0-9.]+)"/.exec(text)[1]);
      const texts = [...text.matchAll(/<text x="(-?[0-9.]+)" y="[^"]*" text-anchor="start"[^>]*>([^<]*)</g)].map(([, x, words]) => [Number(x), words]);
      for (const [x, words] of texts) expect(x + 5 * words.length < width, `${story}: '${words}' begins at ${x} of ${width}`);
      for (const name of names) expect(texts.some(([, words]) => words === name), `${story}: ${name} is missing`);
      expect(text.includes('width="3" height="2"'), `${story}: keys of dashed lines are not dashed`);
      await closed(tab);
    }
  });

  await check("a message for each refused value", async () => {
    const tab = await opened("#story=red_weight");
    await drawnAfter(tab, 1);
    await tab.click("#queue-more > summary");
    await tab.waitForSelector("#queue-max_p");
    const texts = [];
    for (const [id, value] of [["rate-value", "abc"], ["rate-value", "0"], ["rate-value", "-5"], ["rate-value", "1e308"], ["buffer-value", "2.5"], ["seed-value", "-1"], ["seed-value", "1e30"], ["g0-rtt-value", "0"], ["queue-max_p", "abc"]]) {
      await tab.fill(`#${id}`, value);
      await tab.press(`#${id}`, "Enter");
      const text = await tab.textContent(`#${id}-refused`);
      expect(text.startsWith(`'${value}' is not allowed; must be `), `${id}: ${text}`);
      expect((await tab.getAttribute(`#${id}`, "aria-describedby")) === `${id}-refused`, `${id}: the message is not tied to its field`);
      texts.push(text);
    }
    await tab.fill("#rate-value", "10");
    await tab.press("#rate-value", "Enter");
    expect(!(await tab.isVisible("#rate-value-refused")), "the message stays");
    await closed(tab);
    return texts;
  });

  await check("timeouts are explained", async () => {
    const tab = await opened("#story=red_weight");
    await drawnAfter(tab, 1);
    await settled(tab);
    const mark = tab.locator(".notes button").first();
    const text = await mark.getAttribute("aria-label");
    expect(/^Timeout of flow [0-9]+ at [0-9.]+ s: .+\.$/.test(text), text);
    await mark.focus();
    expect(await mark.locator("span").isVisible(), "nothing is shown");
    await closed(tab);
    return text;
  });

  await check("goodput never exceeds the rate", async () => {
    const tops = {};
    for (const story of ["ack_clock", "sawtooth", "vegas_beside_reno", "incast"]) {
      const tab = await opened(`#story=${story}`);
      await drawnAfter(tab, story === "incast" ? 1 : 0);
      await settled(tab);
      tops[story] = await tab.evaluate(() => [...document.querySelectorAll("figure")].filter(({ textContent }) => textContent.startsWith("Goodput")).map(({ dataset }) => Number(dataset.most)));
      for (const top of tops[story]) expect(top > 0.5 && top <= 1 + 1e-9, `${story}: ${top} times the rate`);
      await closed(tab);
    }
    return tops;
  });

  await check("a page opened from a file is shared as a file", async () => {
    const tab = await opened("#story=bufferbloat");
    await drawnAfter(tab, 1);
    await set(tab, "g0-count", "500");
    const expected = [await numbers(tab, 0), await numbers(tab, 1), await tab.textContent("#words")];
    await tab.click("#share");
    await tab.waitForSelector("#sharing button");
    expect((await tab.textContent("#sharing")).includes("opened from a file"), "it is not said");
    const [download] = await Promise.all([tab.waitForEvent("download"), tab.click("#sharing >> text=Save the page")]);
    const file = join(out, "shared.html");
    await download.saveAs(file);
    expect(readFileSync(file, "utf8").includes("</html>"), "the file is cut");
    await tab.fill("#address", "lab");
    await tab.press("#address", "Tab");
    expect((await tab.textContent("#link")).startsWith("'lab' is not allowed"), await tab.textContent("#link"));
    await tab.fill("#address", "https://example.org/lab.html?x#y");
    await tab.press("#address", "Tab");
    const link = await tab.textContent("#link");
    expect(link.startsWith("https://example.org/lab.html#s="), link);
    const found = [];
    for (const target of [pathToFileURL(file).href, address + link.slice(link.indexOf("#"))]) {
      const other = await opened("", {});
      await other.goto("about:blank");
      await other.goto(target);
      await drawnAfter(other, 1);
      await settled(other);
      found.push([await numbers(other, 0), await numbers(other, 1), await other.textContent("#words")]);
      await closed(other);
    }
    for (const each of found) expect(JSON.stringify(each) === JSON.stringify(expected), `another page: ${each}`);
    await closed(tab);
  });

  for (const colorScheme of ["light", "dark"]) {
    await check(`accessibility of an exercise, ${colorScheme}`, async () => {
      const tab = await opened("?exercise=4", { colorScheme });
      await drawnAfter(tab, 0);
      await settled(tab);
      await answered(tab, exercises[3], "Reno");
      await tab.evaluate(() => (document.querySelector("#exercise .reply").className = "reply wrong"));
      await tab.click("#share");
      await tab.waitForSelector("#sharing button");
      await tab.fill("#rate-value", "abc");
      await tab.press("#rate-value", "Enter");
      await tab.evaluate(axe);
      await isAccessible(tab);
      await closed(tab);
    });
  }

  await check("exercises in 390 pixels and in print", async () => {
    const tab = await opened("?exercise=9", { viewport: { width: 390, height: 844 } });
    await drawnAfter(tab, 0);
    await tab.click("#share");
    await tab.waitForSelector("#sharing button");
    const width = await tab.evaluate(() => document.scrollingElement.scrollWidth);
    expect(width <= 390, `${width} pixels wide`);
    await tab.emulateMedia({ media: "print" });
    expect(!(await tab.isVisible("#settings")) && (await tab.textContent("#printed")).includes("[dumbbell.bottleneck]") && (await tab.isVisible("#printed")) && !(await tab.isVisible("#share")) && (await tab.isVisible(".run figure")), "print shows the wrong parts");
    writeFileSync(join(out, "print.pdf"), await tab.pdf({ format: "A4" }));
    await closed(tab);
  });
}
