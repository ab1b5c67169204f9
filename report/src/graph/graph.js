"use strict";
// Path of a line, as the page has it: points from the end on; slanted pieces and corners are curves.
const path = (p, straight, flipped) => {
  let d = `M${p[0]} ${p[1]}`;
  for (let i = 2; i < p.length; i += 2) {
    const [a, b, x, y, u, v] = p.slice(i - 2, i + 4);
    const near = (to, from) => from + Math.max(-6, Math.min(6, Math.trunc((to - from) / 2)));
    const m = flipped ? Math.trunc((a + x) / 2) : Math.trunc((b + y) / 2);
    if (straight) d += `L${x} ${y}`;
    else if (v !== undefined && ((b === y && x === u) || (a === x && y === v)))
      d += `L${near(a, x)} ${near(b, y)}Q${x} ${y} ${near(u, x)} ${near(v, y)}`;
    else if (a === x || b === y) d += `L${x} ${y}`;
    else d += flipped ? `C${m} ${b} ${m} ${y} ${x} ${y}` : `C${a} ${m} ${x} ${m} ${x} ${y}`;
  }
  return d;
};
const numbers = (text) => text.split(" ").map(Number);
// Thresholds of the slider, per cent of the method's calls.
const parts = [0, 0.01, 0.1, 0.5, 1, 2, 5, 10, 20, 50, 100, 500, 1000];

const live = (section) => {
  const graph = section.querySelector(".graph");
  const svg = graph.querySelector("svg");
  if (!svg) return;
  const tools = section.querySelector(".tools");
  const figures = section.querySelector(".figures");
  const [slider, output] = [tools.querySelector("input"), tools.querySelector("output")];
  const blocks = [...svg.querySelectorAll(".b")];
  const lines = [...svg.querySelectorAll(".e")];
  const labels = [...svg.querySelectorAll(".l")];
  const views = [svg.getAttribute("viewBox"), svg.dataset.v].map(numbers);
  let flipped = false, straight = false, view = [], scale = 1;

  const show = () => svg.setAttribute("viewBox", view.map((n) => Math.round(n * 100) / 100).join(" "));
  const reset = () => {
    const whole = views[+flipped];
    const width = graph.clientWidth || 600;
    scale = Math.max(0.4, Math.min(1, width / whole[2]));
    const height = Math.max(160, Math.min(whole[3] * scale, innerHeight * 0.75));
    svg.setAttribute("width", width);
    svg.setAttribute("height", Math.round(height));
    const entry = numbers(blocks[0].dataset[flipped ? "q" : "p"]);
    const room = width / scale, high = height / scale;
    view = [whole[2] <= room ? whole[0] - (room - whole[2]) / 2 : flipped ? whole[0] : Math.max(whole[0], Math.min(entry[0] - room / 2, whole[0] + whole[2] - room)),
      flipped && whole[3] > high ? Math.max(whole[1], Math.min(entry[1] - high / 2, whole[1] + whole[3] - high)) : whole[1], room, high];
    show();
  };
  const zoom = (factor, x, y) => {
    if (scale * factor < 0.05 || scale * factor > 12) return;
    scale *= factor;
    view = [x - (x - view[0]) / factor, y - (y - view[1]) / factor, view[2] / factor, view[3] / factor];
    show();
  };
  const middle = (factor) => zoom(factor, view[0] + view[2] / 2, view[1] + view[3] / 2);
  const move = (x, y) => { view[0] += x; view[1] += y; show(); };

  const lay = () => {
    const key = flipped ? "q" : "p";
    for (const block of blocks) block.setAttribute("transform", `translate(${block.dataset[key]})`);
    for (const line of lines) line.setAttribute("d", path(numbers(line.dataset[key]), straight, flipped));
    for (const label of labels) label.setAttribute("transform", `translate(${label.dataset[key] || "0 0"})`);
    hide();
  };
  const hide = () => {
    const part = parts[slider.value], least = (part * section.dataset.calls) / 100;
    const isRare = (n) => n !== "" && part > 0 && Number(n) < least;
    const gone = blocks.map((block) => block.dataset.keep === "0" && isRare(block.dataset.n));
    blocks.forEach((block, i) => block.classList.toggle("none", gone[i]));
    const lost = lines.map((line) => isRare(line.dataset.n) || numbers(line.dataset.t).some((end) => gone[end]));
    lines.forEach((line, i) => line.classList.toggle("none", lost[i]));
    for (const label of labels)
      label.classList.toggle("none", lost[label.dataset.e] || !label.dataset[flipped ? "q" : "p"]);
    const count = (all) => all.filter(Boolean).length;
    output.textContent = part ? `${part}% of the calls; hidden: blocks ${count(gone)}, edges ${count(lost)}` : "nothing: all is shown";
  };
  const acts = {
    in: () => middle(1.25),
    out: () => middle(0.8),
    reset: () => { reset(); },
    flip: (button) => { flipped = !flipped; button.setAttribute("aria-pressed", flipped); lay(); reset(); },
    straight: (button) => { straight = !straight; button.setAttribute("aria-pressed", straight); lay(); },
  };
  const act = (name) => acts[name](tools.querySelector(`[data-do="${name}"]`));

  const choose = (number) => {
    section.querySelectorAll(".lit").forEach((one) => one.classList.remove("lit"));
    blocks[number].classList.add("lit");
    const row = section.querySelector(`#${section.id}r${number}`);
    const heads = [...row.closest("table").querySelectorAll("thead th")].map((head) => head.textContent);
    figures.textContent = [...row.cells].map((cell, i) => `${heads[i]}: ${cell.textContent.trim() || "–"}`).join(" · ");
    row.classList.add("lit");
    section.querySelectorAll(`[data-b~="${number}"]`).forEach((one) => one.classList.add("lit"));
    section.querySelectorAll(".scroll").forEach(seek);
  };
  // Brings what is marked into a box; a closed one has no place for it until it opens.
  const seek = (box) => {
    const lit = box.querySelector(".lit");
    if (lit) box.scrollTop += lit.getBoundingClientRect().top - box.getBoundingClientRect().top - box.clientHeight / 3;
  };
  const focus = (number) => {
    blocks.forEach((block, i) => block.setAttribute("tabindex", i === number ? 0 : -1));
    blocks[number].focus({ preventScroll: true });
    bring(number);
  };
  const bring = (number) => {
    const [x, y] = numbers(blocks[number].dataset[flipped ? "q" : "p"]);
    if (x < view[0] || y < view[1] || x > view[0] + view[2] - 60 || y > view[1] + view[3] - 40)
      move(x - view[0] - view[2] / 2, y - view[1] - view[3] / 2);
  };
  const next = (from, step) => {
    let to = from + step;
    while (blocks[to] && blocks[to].classList.contains("none")) to += step;
    if (blocks[to]) focus(to);
  };

  let from = null, moved = false;
  graph.addEventListener("pointerdown", (event) => { if (event.button === 0) { from = [event.clientX, event.clientY]; moved = false; } });
  addEventListener("pointermove", (event) => {
    if (!from) return;
    const [x, y] = [event.clientX - from[0], event.clientY - from[1]];
    if (!moved && Math.hypot(x, y) < 4) return;
    moved = true;
    from = [event.clientX, event.clientY];
    move(-x / scale, -y / scale);
  });
  for (const end of ["pointerup", "pointercancel"]) addEventListener(end, () => { from = null; });
  graph.addEventListener("wheel", (event) => {
    if (!event.ctrlKey && !graph.contains(document.activeElement)) return;
    event.preventDefault();
    const box = svg.getBoundingClientRect();
    zoom(event.deltaY < 0 ? 1.15 : 1 / 1.15, view[0] + (event.clientX - box.left) / scale, view[1] + (event.clientY - box.top) / scale);
  }, { passive: false });
  graph.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const at = blocks.indexOf(event.target);
    const arrow = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    const name = { "+": "in", "=": "in", "-": "out", 0: "reset", f: "flip", s: "straight" }[event.key];
    if (arrow && at >= 0) next(at, arrow[0] + arrow[1]);
    else if (arrow) move((arrow[0] * 60) / scale, (arrow[1] * 60) / scale);
    else if (name) act(name);
    else if ((event.key === "Enter" || event.key === " ") && at >= 0) choose(at);
    else return;
    event.preventDefault();
  });
  blocks.forEach((block, number) => {
    block.setAttribute("tabindex", number ? -1 : 0);
    block.setAttribute("role", "button");
    block.setAttribute("aria-label", block.querySelector("title").textContent);
    block.addEventListener("click", () => { if (!moved) { choose(number); focus(number); } });
  });
  // Without this script a block is a link.
  svg.querySelectorAll("a").forEach((one) => one.removeAttribute("href"));
  for (const one of section.querySelectorAll("[data-b]")) {
    one.addEventListener("click", (event) => {
      if (event.target.closest("a") || !getSelection().isCollapsed) return;
      const number = Number(one.dataset.b.split(" ")[0]);
      choose(number);
      bring(number);
    });
  }
  section.addEventListener("click", (event) => {
    const to = event.target.closest('a[href^="#"]')?.hash.slice(1) ?? "";
    const found = to.startsWith(section.id) && /^[bcr](\d+)$/.exec(to.slice(section.id.length));
    if (found && blocks[found[1]]) { choose(Number(found[1])); bring(Number(found[1])); }
  });
  section.querySelectorAll("details").forEach((one) => one.addEventListener("toggle", () => one.querySelectorAll(".scroll").forEach(seek)));
  tools.addEventListener("click", (event) => { if (event.target.dataset.do) act(event.target.dataset.do); });
  slider.addEventListener("input", hide);
  tools.hidden = false;
  graph.classList.add("live");
  hide();
  reset();
  let width = graph.clientWidth;
  addEventListener("resize", () => { if (graph.clientWidth !== width) { width = graph.clientWidth; reset(); } });
  // Paper has the whole graph.
  addEventListener("beforeprint", () => {
    const whole = views[+flipped];
    svg.setAttribute("viewBox", whole.join(" "));
    svg.setAttribute("width", whole[2]);
    svg.setAttribute("height", whole[3]);
  });
  addEventListener("afterprint", reset);
};
document.querySelectorAll(".keys").forEach((one) => { one.hidden = false; });
document.querySelectorAll("section.method").forEach(live);
