// Sharing a scene: a link, if the page has an address that others can open, and otherwise a file to send.

import { byId, element } from "./dom";
import { save } from "./downloads";

/** The page as it was loaded, with what `ackclock lab FILE` put into it. */
const LOADED = `<!doctype html>\n${document.documentElement.outerHTML}`;
const GIVEN = /<script type="application\/json" id="given">[^<]*<\/script>/;

/** The page with an address in it, which it opens first. */
export function pageWith(hash: string): string {
  const given = JSON.stringify({ address: hash }).replaceAll("<", "\\u003c");
  // the script runs before the browser has read the licences below it
  const notices = [...document.body.childNodes].filter(({ nodeType }) => nodeType === Node.COMMENT_NODE).map(({ textContent }) => `<!--${textContent}-->`);
  const isPart = notices.every((notice) => LOADED.includes(notice));
  const page = LOADED.replace(GIVEN, () => `<script type="application/json" id="given">${given}</script>`);
  return isPart ? page : page.replace(/<\/body>\s*<\/html>\s*$/, () => `${notices.join("\n")}\n</body>\n</html>\n`);
}

const isLocal = (): boolean => location.protocol === "file:";

export class Sharing {
  private readonly root = byId("sharing");

  constructor(
    private readonly hash: () => Promise<string>,
    private readonly toml: () => string | undefined,
    private readonly say: (text: string) => void,
  ) {}

  async share(): Promise<void> {
    const hash = await this.hash();
    history.replaceState(null, "", `#${hash}`);
    if (isLocal()) this.offer(hash);
    else await this.copy(`${location.href.replace(/[?#].*$/, "")}#${hash}`);
  }

  private async copy(link: string): Promise<void> {
    try {
      await navigator.clipboard.writeText(link);
      this.say("The link is in the clipboard.");
    } catch {
      this.say(isLocal() ? "Copy the link from the field." : "The link is in the address bar.");
    }
  }

  /** Says that the page is a file, and what can be sent instead of its address. */
  private offer(hash: string): void {
    const button = (text: string, act: () => void): HTMLElement => {
      const made = element("button", { type: "button" }, text);
      made.addEventListener("click", act);
      return made;
    };
    const toml = this.toml();
    const address = element("input", { type: "url", id: "address", placeholder: "https://…", autocomplete: "off" });
    const link = element("output", { id: "link", for: "address" });
    const make = (): void => {
      const page = address.value.trim().replace(/[?#].*$/, "");
      if (!/^https?:\/\/[^\s]+$/.test(page)) {
        link.textContent = `'${page.slice(0, 60)}' is not allowed; must be the address of a page, such as https://example.org/lab.html`;
        return;
      }
      link.textContent = `${page}#${hash}`;
      void this.copy(link.textContent);
    };
    address.addEventListener("change", make);
    this.root.hidden = false;
    this.root.replaceChildren(
      element("h2", {}, "Share"),
      element("p", {}, "This page was opened from a file, so its address works on this computer only; the address bar has it. To show the run to others, send a file:"),
      element("div", { class: "bar" },
        button("Save the page with this run (HTML)", () => save("lab.html", "text/html", pageWith(hash))),
        ...(toml === undefined ? [] : [button("Save the scenario (TOML)", () => save("lab.toml", "text/plain", toml))])),
      element("p", {}, element("label", { for: "address" }, "Or, if the page of the lab is also on a web site, paste its address:"), " ", address, " ", button("Make a link", make)),
      link,
      element("div", { class: "bar" }, button("Close", () => this.hide())),
    );
    this.root.scrollIntoView({ block: "nearest" });
    this.root.querySelector("button")?.focus();
  }

  hide(): void {
    this.root.hidden = true;
    this.root.replaceChildren();
  }
}
