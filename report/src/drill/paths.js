"use strict";
// Paths through a block, one by one, each lit in the graph: the others become pale.
document.querySelectorAll("section.method").forEach((section) => {
  const rows = [...section.querySelectorAll(".paths tbody tr")];
  const svg = section.querySelector(".graph svg");
  if (!rows.length || !svg) return;
  const [blocks, lines] = [".b", ".e"].map((one) => [...svg.querySelectorAll(one)]);
  const [tools, status] = [section.querySelector(".steps"), section.querySelector(".step")];
  const has = (row, key, number) => row.dataset[key].split(" ").includes(String(number));
  let through = rows, at = -1, block = null;
  const show = () => {
    const row = through[at];
    blocks.forEach((one, i) => { one.style.opacity = !row || has(row, "b", i) ? "" : "0.3"; });
    lines.forEach((one, i) => { one.style.opacity = !row || has(row, "e", i) ? "" : "0.15"; });
    const [count, share, begin, ran, end] = row ? [...row.cells].map((cell) => cell.textContent) : [];
    const where = block === null ? "" : ` through block ${block}`;
    if (row) status.textContent = `Path ${at + 1} of ${through.length}${where}: ${count} times (${share}), ${begin}: ${ran} → ${end}`;
    else status.textContent = through.length ? "" : `No path${where} ran to its end`;
  };
  const choose = (number) => {
    block = number;
    through = rows.filter((row) => has(row, "b", number));
    at = through.length ? 0 : -1;
    show();
  };
  const acts = {
    next: () => { if (through.length) at = (at + 1) % through.length; },
    back: () => { if (through.length) at = (at + through.length - (at < 0 ? 0 : 1)) % through.length; },
    all: () => { [through, at, block] = [rows, -1, null]; },
  };
  tools.addEventListener("click", (event) => {
    const act = acts[event.target.dataset.step];
    if (act) { act(); show(); }
  });
  blocks.forEach((one, number) => {
    one.addEventListener("click", () => choose(number));
    one.addEventListener("keydown", (event) => { if (event.key === "Enter" || event.key === " ") choose(number); });
  });
  tools.hidden = false;
});
