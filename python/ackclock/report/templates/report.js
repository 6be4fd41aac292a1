"use strict";
// The page: filters of the claims, and the table of contents.
(() => {
  document.documentElement.classList.add("scripted");
  const all = (selector) => Array.from(document.querySelectorAll(selector));

  // Claims. If no verdict is pressed, all claims are shown.
  const claims = all(".claims > li");
  const pills = all(".pills button");
  const selects = all(".filters select");
  const filter = () => {
    const verdicts = pills.filter((pill) => pill.getAttribute("aria-pressed") === "true").map((pill) => pill.dataset.verdict);
    let shown = 0;
    for (const claim of claims) {
      const there =
        (!verdicts.length || verdicts.includes(claim.dataset.verdict)) &&
        selects.every((select) => !select.value || claim.dataset[select.dataset.filter] === select.value);
      claim.hidden = !there;
      shown += there;
    }
    const count = document.getElementById("shown");
    if (count) count.textContent = shown === claims.length ? `${shown} claims` : `${shown} of ${claims.length} claims`;
  };
  const choose = (verdict, origin) => {
    pills.forEach((pill) => pill.setAttribute("aria-pressed", pill.dataset.verdict === verdict));
    selects.forEach((select) => (select.value = (select.dataset.filter === "origin" && origin) || ""));
    filter();
  };
  pills.forEach((pill) =>
    pill.addEventListener("click", () => {
      pill.setAttribute("aria-pressed", pill.getAttribute("aria-pressed") === "false");
      filter();
    }),
  );
  selects.forEach((select) => select.addEventListener("change", filter));
  all(".tally a").forEach((link) => link.addEventListener("click", () => choose(link.dataset.verdict, link.dataset.origin)));

  // Following a link to a claim opens it, and resets the filters if they hide it.
  const goThere = () => {
    const there = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!there?.matches(".claims > li")) return;
    if (there.hidden) choose("", "");
    there.firstElementChild.open = true;
    there.scrollIntoView();
  };
  addEventListener("hashchange", goThere);
  goThere();

  // Contents: highlights the visible section. On a small screen the contents fold after use.
  const contents = document.querySelector("nav details");
  const entries = new Map(all("nav a").map((link) => [link.hash.slice(1), link]));
  const sight = new IntersectionObserver(
    (seen) => {
      for (const each of seen.filter((one) => one.isIntersecting)) {
        entries.forEach((link) => link.removeAttribute("aria-current"));
        const link = entries.get(each.target.id);
        link.setAttribute("aria-current", "true");
        const [top, bottom] = [link.offsetTop, link.offsetTop + link.offsetHeight];
        const box = contents.parentElement;
        if (top < box.scrollTop || bottom > box.scrollTop + box.clientHeight) box.scrollTop = top - box.clientHeight / 3;
      }
    },
    { rootMargin: "-10% 0px -75% 0px" },
  );
  for (const id of entries.keys()) {
    const there = document.getElementById(id);
    // The figure on the first screen is a part of the answer.
    if (!there.matches(".first figure")) sight.observe(there);
  }
  contents.addEventListener("click", (event) => {
    if (event.target.closest("a") && matchMedia("(max-width: 70rem)").matches) contents.open = false;
  });

  // On a small screen, a table that is too wide shows each row as a list of its cells.
  const small = matchMedia("(max-width: 44rem)");
  const fit = () => {
    if (!small.matches) return;
    for (const table of all(".wide > table").filter((one) => one.parentElement.scrollWidth > one.parentElement.clientWidth)) {
      const heads = Array.from(table.tHead.rows[table.tHead.rows.length - 1].cells, (cell) => cell.textContent);
      for (const row of table.tBodies[0].rows) Array.from(row.cells, (cell, at) => (cell.dataset.label = heads[at]));
      table.classList.add("listed");
    }
  };
  fit();
  small.addEventListener("change", fit);
  document.addEventListener("toggle", fit, true);

  // Long findings are open in print; claims have one line each there, as on the screen.
  for (const [event, open] of [["beforeprint", true], ["afterprint", false]]) {
    addEventListener(event, () => all(".fold").forEach((each) => (each.open = open)));
  }
})();
