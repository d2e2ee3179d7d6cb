// Elements in one line.

type Child = Node | string | null | undefined | false;
type Props = Record<string, unknown>;

function fill(el: Element, props: Props, children: Child[]): void {
  for (const [name, value] of Object.entries(props)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on") && typeof value === "function") {
      el.addEventListener(name.slice(2), value as EventListener);
    } else {
      el.setAttribute(name, value === true ? "" : String(value));
    }
  }
  for (const child of children) {
    if (child) el.append(child);
  }
}

/** An HTML element; `on...` properties are listeners, the others attributes. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  props: Props = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const el = document.createElement(tag);
  fill(el, props, children);
  return el;
}

/** An SVG element. */
export function s<K extends keyof SVGElementTagNameMap>(
  tag: K,
  props: Props = {},
  ...children: Child[]
): SVGElementTagNameMap[K] {
  const el = document.createElementNS("http://www.w3.org/2000/svg", tag);
  fill(el, props, children);
  return el;
}

/** A choice of `[value, label]`. */
export function select(id: string, options: [string, string][], value: string): HTMLSelectElement {
  const el = h("select", { id });
  for (const [key, label] of options) {
    el.append(h("option", { value: key, selected: key === value }, label));
  }
  return el;
}

/** A labelled control. */
export function field(label: string, control: HTMLElement): HTMLElement {
  return h("label", { class: "field" }, h("span", {}, label), control);
}

/**
 * A dialogue; resolves with the value of the button pressed, `null` when it is dismissed. With `accept` the first
 * button closes it only once that has agreed.
 */
export function ask(
  title: string,
  body: Child[],
  buttons: [string, string | Node, string?][],
  accept?: () => Promise<boolean>,
): Promise<string | null> {
  return new Promise((resolve) => {
    const dialog = h("dialog", { "aria-label": title });
    let waiting = false;
    const done = async (value: string | null) => {
      if (accept && value === buttons[0]?.[0]) {
        if (waiting) return;
        waiting = true;
        const accepted = await accept();
        waiting = false;
        if (!accepted) return;
      }
      if (!dialog.isConnected) return;
      dialog.close();
      dialog.remove();
      resolve(value);
    };
    const row = h("div", { class: "row" });
    for (const [value, label, key] of buttons) {
      const button = h("button", { type: "button", "data-value": value, onclick: () => void done(value) }, label);
      row.append(button);
      if (key) {
        dialog.addEventListener("keydown", (e) => {
          if (e.key === key) void done(value);
        });
      }
    }
    dialog.append(h("h2", {}, title), ...(body.filter(Boolean) as Node[]), row);
    dialog.addEventListener("cancel", (e) => {
      e.preventDefault();
      void done(null);
    });
    dialog.addEventListener("click", (e) => {
      if (e.target === dialog) void done(null);
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}

export function sideName(side: string): string {
  return side === "b" ? "Black" : side === "w" ? "White" : side;
}

export function overText(over: { winner: string; reason: string }): string {
  const why = over.reason.replaceAll("_", " ");
  return over.winner === "draw" ? `Draw (${why})` : `${sideName(over.winner)} has won (${why})`;
}
