// Browsers start no worker in a page that is opened as a file. The search then runs in a frame instead.
if (location.protocol === "file:") {
  window.Worker = class {
    constructor(script) {
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      this.frame.srcdoc =
        "<script>window.postMessage = (data) => frameElement.receive(data)</" +
        `script><script src="${new URL(script, location)}"></` + "script>";
      this.frame.receive = (data) => this.onmessage?.({ data: structuredClone(data) });
      this.loaded = new Promise((loaded) => this.frame.addEventListener("load", loaded, { once: true }));
      document.documentElement.append(this.frame);
    }
    postMessage(data) {
      const copy = structuredClone(data);
      this.loaded.then(() => this.frame.contentWindow?.onmessage({ data: copy }));
    }
    terminate() {
      this.frame.remove();
    }
  };
}
